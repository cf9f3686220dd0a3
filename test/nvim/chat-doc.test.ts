import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACP_RECIPES } from '../../src/acp/recipes.ts';
import { AgentSettings } from '../../src/session-settings.ts';
import { startChat, type TestChat } from '../support/chat.ts';
import { PROJECT } from '../support/nvim.ts';

const NAMES = ['claude_bridge.txt', 'claude_bridge_session.txt'];
const text = fs.readFileSync(path.join(PROJECT, 'doc/claude_bridge_session.txt'), 'utf8');

let chat: TestChat;
beforeAll(async () => {
  chat = await startChat();
  // Tags are written beside the files: the project's own folder stays clean.
  const doc = path.join(chat.nvim.home, 'rtp/doc');
  fs.mkdirSync(doc, { recursive: true });
  for (const name of NAMES) {
    fs.copyFileSync(path.join(PROJECT, 'doc', name), path.join(doc, name));
  }
  await chat.nvim.command(`set rtp^=${path.dirname(doc)}`);
  await chat.nvim.command(`helptags ${doc}`);
});
afterAll(() => chat.nvim.dispose());

test('every command and its map have their tags', async () => {
  const names = await chat.nvim.lua<string[]>(
    `return vim.fn.getcompletion('ClaudeSession', 'command')`,
  );
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    expect(text).toContain(`*:${name}*`);
    expect(text).toContain(`*<Plug>(${name})*`);
  }
});

test('every option has its place in the text', async () => {
  const paths = await chat.nvim.lua<string[]>(`
    return vim.iter(require('claude_bridge.config.schema')):map(function(option)
      return option.path
    end):filter(function(path)
      return vim.startswith(path, 'session.')
    end):totable()`);
  expect(paths.length).toBeGreaterThan(4);
  for (const option of paths) expect(text).toContain(`|claude_bridge.${option}|`);
});

test('every agent has a recipe: how it is installed, and how it is started', () => {
  for (const [name, { command, args, install }] of Object.entries(ACP_RECIPES)) {
    expect(text).toContain(`\`:ClaudeSession ${name}\` starts \`${[command, ...args].join(' ')}\``);
    if (install.startsWith('npm')) expect(text).toContain(`\`${install}\``);
  }
  expect(text).toContain('`sid-code --bridge {url}`');
});

test('every field of an agent is explained', () => {
  for (const field of Object.keys(AgentSettings.shape)) {
    expect(text).toMatch(new RegExp(`^    ${field} {2,}\\S`, 'mu'));
  }
});

test('every key of the buffers is listed', async () => {
  const keys = await chat.nvim.lua<string[]>(`
    local keys = {}
    for _, list in pairs(require('claude_bridge.chat.keys').KEYS) do
      for _, key in ipairs(list) do
        keys[#keys + 1] = key[2]
      end
    end
    return keys`);
  expect(keys.length).toBeGreaterThan(10);
  for (const key of keys) expect(text).toContain(`\`${key}\``);
});

test('the highlight groups are listed with their links', async () => {
  const groups = await chat.nvim.lua<Record<string, string>>(
    `return require('claude_bridge.chat.highlights').GROUPS`,
  );
  const listed = Object.fromEntries(
    Array.from(text.matchAll(/^(ClaudeSession\w+) +(\w+) +\S/gm), (match) => [match[1], match[2]]),
  );
  expect(listed).toEqual(groups);
});

test('links lead somewhere and lines fit', async () => {
  expect(text.split('\n').filter((line) => line.length > 78)).toEqual([]);
  const links = Array.from(text.matchAll(/\|([^|\s]+)\|/g), (match) => match[1]);
  const missing = await chat.nvim.lua(
    `return vim.tbl_filter(function(tag)
      return not vim.list_contains(vim.fn.getcompletion(tag, 'help'), tag)
    end, ...)`,
    [links],
  );
  expect(missing).toEqual([]);
});
