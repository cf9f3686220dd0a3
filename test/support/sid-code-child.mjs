/** sid-code's end of its bridge as a program. The first one that is started fails at a given point. */
import { appendFileSync, existsSync } from 'node:fs';
import process from 'node:process';
import { WebSocket } from 'ws';
import { hang } from './leave-with-parent.mjs';

const [url, options] = process.argv.slice(2);
const { at, fault, counter } = JSON.parse(options);
const isFirst = !existsSync(counter);
appendFileSync(counter, 'x');

function reached(point) {
  if (!isFirst || point !== at) return;
  process.stderr.write(`${fault} at ${at}\n`);
  if (fault === 'hangs') hang();
  process.exit(4);
}

reached('start');
const socket = new WebSocket(url);
let said = 0;
const say = (type, data) => {
  said += 1;
  socket.send(JSON.stringify({ type, id: `${type}-${process.pid}-${said}`, data }));
};
socket.on('open', () => {
  reached('call');
  say('status', { status: 'ready' });
});
socket.on('message', (raw) => {
  const { type, data } = JSON.parse(raw);
  if (data.command === 'ping') say('status', { status: 'pong' });
  if (type !== 'user_message') return;
  reached('text');
  say('text', { text: `heard: ${data.text}` });
  say('status', { status: 'turn_complete' });
});
