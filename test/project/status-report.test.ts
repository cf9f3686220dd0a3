import { expect, test } from 'vitest';
import { reportStatus, type StatusFacts } from '../../src/status-report.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const before = (seconds: number) => new Date(NOW - seconds * 1_000);

const facts: StatusFacts = {
  port: 12345,
  lockFiles: [
    { path: '/h/.claude/ide/12345.lock', state: 'present' },
    { path: '/h/.sid-code/ide/12345.lock', state: 'present', restoredAt: before(9) },
    { path: '/h/.other/ide/12345.lock', state: 'missing', restoredAt: before(9) },
  ],
  folders: ['/x/ws', '/x/real'],
  isSharing: true,
  waitingMentions: 0,
  rivals: [],
  sessions: [],
  reviews: [],
  kernels: [],
  now: NOW,
};

test('port, lock files, workspaces and that nobody is connected', () => {
  expect(reportStatus(facts)).toEqual([
    'Listening on port 12345',
    '',
    'Lock file',
    '  /h/.claude/ide/12345.lock',
    '  /h/.sid-code/ide/12345.lock (was missing, written again 9 s ago)',
    '  /h/.other/ide/12345.lock (missing, and it cannot be written: see :ClaudeBridgeLog)',
    '',
    'Workspace folders',
    '  /x/ws',
    '  /x/real',
    '',
    'Clients: none',
    '',
    'Pending reviews: none',
  ]);
});

test('each client with its process, its state and what it was told last', () => {
  const client = {
    id: 'client-1',
    remote: '127.0.0.1:40000',
    connectedAt: before(300),
    openCalls: 0,
  };
  const lines = reportStatus({
    ...facts,
    sessions: [
      {
        ...client,
        state: 'ready',
        name: 'sid-code',
        version: '0.1.601',
        pid: 4242,
        lastSelectionPush: before(7),
        lastTool: { name: 'openDiff', at: before(60) },
      },
      { ...client, state: 'open' },
    ],
  });
  expect(lines.slice(lines.indexOf('Clients'), lines.indexOf('Pending reviews: none'))).toEqual([
    'Clients',
    '  sid-code 0.1.601, pid 4242: ready',
    '    connected 5 min ago from 127.0.0.1:40000',
    '    selection last sent: 7 s ago',
    '    last call: openDiff, 60 s ago',
    '  unknown client: socket open, handshake not begun',
    '    connected 5 min ago from 127.0.0.1:40000',
    '    selection last sent: never',
    '    last call: none',
    '',
  ]);
});

test('another editor in the same folder, and what to do', () => {
  const path = '/h/.claude/ide/1.lock';
  const rival = { path, pid: 7, ideName: 'VS Code', workspaceFolders: ['/x'] };
  const text = reportStatus({ ...facts, rivals: [rival] }).join('\n');
  expect(text).toContain(`Other editors in these folders\n  VS Code, process 7 (${path})`);
  expect(text).toContain(':ClaudeBridgeTerminal');
});
