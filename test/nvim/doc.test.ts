import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT, startNvim, type TestNvim } from '../support/nvim.ts';
import { type Option, renderOptions } from '../support/option-docs.ts';

const FILE = path.join(PROJECT, 'doc/claude_bridge.txt');
const START = `${'*claude_bridge-option-list*'.padStart(77)}\n`;
const END = `${'='.repeat(78)}\nSTATUS LINE`;

let nvim: TestNvim;
beforeAll(async () => {
  nvim = await startNvim({ args: ['--cmd', 'runtime plugin/claude_bridge.lua'] });
  // Tags are written beside the file: the project's own folder stays clean.
  const doc = path.join(nvim.home, 'rtp/doc');
  fs.mkdirSync(doc, { recursive: true });
  for (const name of ['claude_bridge.txt', 'claude_bridge_session.txt']) {
    fs.copyFileSync(path.join(path.dirname(FILE), name), path.join(doc, name));
  }
  await nvim.command(`set rtp^=${path.dirname(doc)}`);
  await nvim.command(`helptags ${doc}`);
});
afterAll(() => nvim.dispose());

const text = () => fs.readFileSync(FILE, 'utf8');
/** Without code, where bars and stars mean something else. */
const prose = () => text().replace(/^(|.* )>\w*\n(?:[ \t].*\n|\n)*/gm, '$1\n');
const tags = () => new Set(Array.from(prose().matchAll(/\*(\S+)\*/g), (match) => match[1]));

test('the options are those of the schema (UPDATE_DOC=1 writes them)', async () => {
  const options = await nvim.lua<Option[]>(`
    local expected = require('claude_bridge.config.validate').expected
    return vim.tbl_map(function(option)
      return {
        path = option.path,
        expected = expected(option),
        default = option.default ~= nil
          and vim.inspect(option.default, { newline = ' ', indent = '' }) or nil,
        description = option.description,
      }
    end, require('claude_bridge.config.schema'))`);
  const [before = '', rest = ''] = text().split(START);
  const [list, after = ''] = rest.split(END);
  const wanted = `${renderOptions(options)}\n`;
  if (process.env['UPDATE_DOC']) fs.writeFileSync(FILE, before + START + wanted + END + after);
  else expect(list).toBe(wanted);
});

test('every command and its map have their tags', async () => {
  const commands = await nvim.lua<string[]>('return vim.fn.getcompletion("Claude", "command")');
  const known = tags();
  for (const name of commands) {
    expect(known).toContain(`:${name}`);
    expect(known).toContain(`<Plug>(${name})`);
  }
});

test('every function of the Lua interface is described', async () => {
  const names = await nvim.lua<string[]>(`return vim.tbl_keys(require('claude_bridge'))`);
  for (const name of names) expect(text()).toMatch(new RegExp(`^.*bridge\\.${name}\\(`, 'm'));
});

test('every link leads somewhere, and no tag is there twice', async () => {
  const links = new Set(Array.from(prose().matchAll(/\|([^\s|]+)\|/g), (match) => match[1] ?? ''));
  expect(links.size).toBeGreaterThan(30);
  for (const link of links) {
    expect(await nvim.lua('return vim.fn.getcompletion(..., "help")', [link]), link).toContain(
      link,
    );
  }
  const all = Array.from(prose().matchAll(/\*(\S+)\*/g), (match) => match[1]);
  expect(all.length).toBe(new Set(all).size);
  expect(await nvim.messages()).toBe('');
});

test('no line is wider than a help window', () => {
  const wide = text()
    .split('\n')
    .filter((line) => line.length > 78);
  expect(wide).toEqual([]);
});
