// A small agent that speaks to the bridge as Claude Code does, for those who have none at hand: it
// shows what it is told and proposes edits. It asks no model, and it writes only what was accepted.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { WebSocket } from 'ws';

const say = (line) => console.log(line);

/** Port and token of the editor: the environment names the lock file. */
function findEditor() {
  const port = process.env.CLAUDE_CODE_SSE_PORT;
  if (!port) throw new Error('No editor is known here: CLAUDE_CODE_SSE_PORT is not set.');
  const config = process.env.CLAUDE_CONFIG_DIR ?? path.join(os.homedir(), '.claude');
  const lock = JSON.parse(fs.readFileSync(path.join(config, 'ide', `${port}.lock`), 'utf8'));
  return { port, token: lock.authToken, name: lock.ideName };
}

/** One connection: requests with their answers, and notifications both ways. */
class Connection {
  #socket;
  #open = new Map();
  #ids = 0;

  constructor(editor, { onNotification, onClose }) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${editor.port}`, 'mcp', {
      headers: { 'x-claude-code-ide-authorization': editor.token },
    });
    this.#socket.on('message', (data) => {
      const message = JSON.parse(data.toString());
      if (message.method === undefined) this.#settle(message);
      else if (message.id === undefined) onNotification(message.method, message.params ?? {});
      else this.#send({ id: message.id, result: {} });
    });
    this.#socket.on('error', (error) => say(`The connection failed: ${error.message}`));
    this.#socket.on('close', onClose);
  }

  async greet() {
    await new Promise((resolve) => this.#socket.once('open', resolve));
    await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { roots: { listChanged: true } },
      clientInfo: { name: 'demo-agent', version: '1.0.0' },
    });
    this.notify('notifications/initialized');
    this.notify('ide_connected', { pid: process.pid });
    return (await this.request('tools/list')).tools;
  }

  request(method, params) {
    const id = this.#ids++;
    this.#send({ id, method, params });
    return new Promise((resolve, reject) => this.#open.set(id, { resolve, reject }));
  }

  notify(method, params) {
    this.#send({ method, params });
  }

  /** The texts of a tool's answer. */
  async call(name, args) {
    const answer = await this.request('tools/call', { name, arguments: args });
    const texts = answer.content.map((block) => block.text);
    if (answer.isError) throw new Error(texts.join(' '));
    return texts;
  }

  close() {
    this.#socket.close();
  }

  #settle({ id, result, error }) {
    const call = this.#open.get(id);
    this.#open.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  }

  #send(message) {
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}

const short = (file) => path.relative(process.cwd(), file);

class Agent {
  #connection;
  #selection;
  #proposals = 0;
  #busy = false;

  async start() {
    const editor = findEditor();
    this.#connection = new Connection(editor, {
      onNotification: (method, params) => this.#hear(method, params),
      onClose: () => {
        say('The editor has gone.');
        process.exit(0);
      },
    });
    const tools = await this.#connection.greet();
    say(`Connected to ${editor.name} on port ${editor.port}; it offers ${tools.length} tools.`);
    say('Enter: propose an edit of the file that you are in.  q: quit.');
  }

  stop() {
    this.#connection.close();
  }

  #hear(method, params) {
    if (method === 'selection_changed') this.#hearSelection(params);
    if (method === 'at_mentioned') {
      const { filePath, lineStart, lineEnd } = params;
      const lines = lineStart === undefined ? '' : `#L${lineStart + 1}-${lineEnd + 1}`;
      say(`You mentioned @${short(filePath)}${lines}`);
    }
  }

  #hearSelection(params) {
    if (!params.filePath) return;
    const before = this.#selection;
    this.#selection = params;
    if (params.text) {
      const lines = params.text.replace(/\n$/, '').split('\n');
      const what = lines.length === 1 ? `"${lines[0]}"` : `${lines.length} lines`;
      say(`You selected ${what} in ${short(params.filePath)}`);
    } else if (before?.filePath !== params.filePath) {
      say(`You are in ${short(params.filePath)}`);
    }
  }

  async propose() {
    if (this.#busy) return say('One proposal is still open: :w accepts it, :q rejects it.');
    if (!this.#selection) return say('Open a file in the editor first.');
    this.#busy = true;
    try {
      await this.#review(this.#selection.filePath);
    } catch (error) {
      say(`The editor could not show it: ${error.message}`);
    } finally {
      this.#busy = false;
    }
  }

  async #review(file) {
    const proposal = this.#edited(fs.readFileSync(file, 'utf8'));
    const tab = `${path.basename(file)} (demo ${++this.#proposals})`;
    say(`Proposing an edit of ${short(file)}: look at the diff, then :w accepts, :q rejects.`);
    const [verdict, text] = await this.#connection.call('openDiff', {
      old_file_path: file,
      new_file_path: file,
      new_file_contents: proposal,
      tab_name: tab,
    });
    if (verdict === 'FILE_SAVED') {
      fs.writeFileSync(file, text);
      const how = text === proposal ? 'as proposed' : 'with your changes';
      say(`Accepted ${how}: ${short(file)} is written.`);
    } else {
      say(`Rejected: ${short(file)} stays as it was.`);
    }
    await this.#connection.call('close_tab', { tab_name: tab });
  }

  /** What is selected in capital letters; with nothing selected, one more line. */
  #edited(text) {
    const selected = this.#selection.text;
    if (selected && text.includes(selected)) return text.replace(selected, selected.toUpperCase());
    const end = text === '' || text.endsWith('\n') ? '' : '\n';
    return `${text}${end}A line from the demo agent, number ${this.#proposals + 1}.\n`;
  }
}

const agent = new Agent();
try {
  await agent.start();
} catch (error) {
  say(error.message);
  process.exit(1);
}
readline
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line.trim() === 'q') agent.stop();
    else void agent.propose();
  })
  .on('close', () => agent.stop());
