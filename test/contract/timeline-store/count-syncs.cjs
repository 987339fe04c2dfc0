// Loaded before anything else: counts how often the program asks the disk to keep what was written.
const fs = require('node:fs');
const { fdatasyncSync } = fs;
let syncs = 0;
fs.fdatasyncSync = (fd) => {
  fdatasyncSync(fd);
  syncs += 1;
  fs.writeSync(2, `syncs ${syncs}\n`);
};
