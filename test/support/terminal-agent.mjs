// A stand-in for an agent's CLI: tells how it was started, then notes all that is typed.
import fs from 'node:fs';
import './leave-with-parent.mjs';

const [out, ...args] = process.argv.slice(2);
if (args[0] === '--exit') process.exit(Number(args[1]));
const note = (record) => fs.appendFileSync(out, `${JSON.stringify(record)}\n`);
process.stdin.setRawMode(true);
process.stdin.on('data', (chunk) => note({ typed: chunk.toString() }));
for (let line = 1; line <= 100; line++) process.stdout.write(`line ${line}\r\n`);
note({
  args,
  pid: process.pid,
  cwd: process.cwd(),
  port: process.env.CLAUDE_CODE_SSE_PORT,
  noProxy: process.env.no_proxy,
});
