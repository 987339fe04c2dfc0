"""Prints what a Python sample imports and the addresses it names, as JSON. Fails on a syntax error."""

import ast
import json
import sys

tree = ast.walk(ast.parse(sys.stdin.read()))
imports, addresses = set(), []
for node in tree:
    if isinstance(node, ast.Import):
        imports.update(alias.name.split(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        imports.add((node.module or "").split(".")[0])
    elif isinstance(node, ast.Constant) and str(node.value).startswith("http"):
        addresses.append(node.value)
print(json.dumps({"imports": sorted(imports), "addresses": addresses}))
