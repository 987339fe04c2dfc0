/** System call numbers as [x86_64, aarch64]; null: the architecture does not have the call. */
type Numbers = readonly [x64: number | null, arm64: number | null];

/** Sockets: a program keeps the stream that it inherits and can only create stream pairs. */
const sockets = {
  socket: [41, 198],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
} as const satisfies Record<string, Numbers>;

const namespaces = {
  unshare: [272, 97],
  setns: [308, 268],
  chroot: [161, 51],
  pivot_root: [155, 41],
} as const satisfies Record<string, Numbers>;

const otherProcesses = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
} as const satisfies Record<string, Numbers>;

const mounts = {
  mount: [165, 40],
  umount2: [166, 39],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
} as const satisfies Record<string, Numbers>;

/** Parts of the kernel that no program needs here and that have had vulnerabilities. */
const kernelSurface = {
  bpf: [321, 280],
  perf_event_open: [298, 241],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  userfaultfd: [323, 282],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  memfd_secret: [447, 447],
  lookup_dcookie: [212, 18],
  modify_ldt: [154, null],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
  seccomp: [317, 277],
  mq_open: [240, 180],
} as const satisfies Record<string, Numbers>;

const administration = {
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, null],
  get_kernel_syms: [177, null],
  query_module: [178, null],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  syslog: [103, 116],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  iopl: [172, null],
  ioperm: [173, null],
  vhangup: [153, 58],
  nfsservctl: [180, 42],
  uselib: [134, null],
  ustat: [136, null],
  sysfs: [139, null],
  _sysctl: [156, null],
} as const satisfies Record<string, Numbers>;

/** Resources that all programs of a machine share, such as its disk: no limit of a sandbox covers them. */
const machineWide = {
  sync: [162, 81],
  syncfs: [306, 267],
} as const satisfies Record<string, Numbers>;

/** Calls that return EPERM. */
export const denied = {
  ...sockets,
  ...namespaces,
  ...otherProcesses,
  ...mounts,
  ...kernelSurface,
  ...administration,
  ...machineWide,
} as const satisfies Record<string, Numbers>;

/** The same for an agent program, which has a network namespace of its own and makes sockets in it. */
export const deniedToAgents = {
  ...namespaces,
  ...otherProcesses,
  ...mounts,
  ...kernelSurface,
  ...administration,
} as const satisfies Record<string, Numbers>;

/** Calls that return ENOSYS: libraries try these first and fall back to calls that the filter can inspect. */
export const absent = {
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  pidfd_open: [434, 434],
  // Their requests are counted for the whole machine (fs.aio-max-nr): one program could use them all.
  io_setup: [206, 0],
  io_destroy: [207, 1],
  io_submit: [209, 2],
  io_cancel: [210, 3],
  io_getevents: [208, 4],
  io_pgetevents: [333, 292],
} as const satisfies Record<string, Numbers>;

/**
 * Allowed for the caller itself, which the first argument 0 means. A process ID could be another process of the same user,
 * such as the guard of a container.
 */
export const selfOnly = {
  sched_setaffinity: [203, 122],
  sched_setscheduler: [144, 119],
  sched_setparam: [142, 118],
  sched_setattr: [314, 274],
} as const satisfies Record<string, Numbers>;

/** Allowed or denied by their arguments. */
export const byArgument = {
  clone: [56, 220],
  setpriority: [141, 140],
  ioprio_set: [251, 30],
  socketpair: [53, 199],
  ioctl: [16, 29],
  personality: [135, 92],
  prlimit64: [302, 261],
  setrlimit: [160, 164],
  prctl: [157, 167],
  setsockopt: [54, 208],
  getsockopt: [55, 209],
  mmap: [9, 222],
  memfd_create: [319, 279],
  shmget: [29, 194],
  sendto: [44, 206],
  recvfrom: [45, 207],
  sendmsg: [46, 211],
  recvmsg: [47, 212],
  sendmmsg: [307, 269],
  recvmmsg: [299, 243],
} as const satisfies Record<string, Numbers>;

/** The same for an agent program: families of sockets, and what would leave its namespaces. */
export const byArgumentForAgents = {
  clone: byArgument.clone,
  ioctl: byArgument.ioctl,
  personality: byArgument.personality,
  socket: sockets.socket,
} as const satisfies Record<string, Numbers>;

/** The newest call in these tables. Calls that a later kernel adds return ENOSYS until they are added here. */
export const newestKnown = 450;
