// The script `prepare` runs this with the Node of npm, which may be older, when its own does not run.
console.error(`Packages or Node 24 are missing. Run: npm ci --include=dev --include=optional
On Alpine, or if no package has a Node for this machine: use Node 24 of the machine, and delete node_modules/.bin/node`);
