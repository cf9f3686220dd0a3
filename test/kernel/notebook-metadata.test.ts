import { expect, test } from 'vitest';
import { kernelInJson, kernelInText } from '../../src/kernel/notebook-metadata.ts';

const lines = (text: string): string[] => text.trim().split('\n');

test('an ipynb names its kernel in its metadata', () => {
  const notebook = {
    cells: [],
    metadata: {
      kernelspec: { display_name: 'Julia 1.10', language: 'julia', name: 'julia-1.10' },
      language_info: { name: 'julia' },
    },
    nbformat: 4,
  };
  expect(kernelInJson(JSON.stringify(notebook))).toEqual({ name: 'julia-1.10', language: 'julia' });
});

test.each([
  ['{"metadata":{"language_info":{"name":"R"}}}', { language: 'R' }],
  ['{"metadata":{}}', {}],
  ['{}', {}],
  ['', {}],
  ['# %% [markdown]', {}],
])('an ipynb that says less: %s', (text, expected) => {
  expect(kernelInJson(text)).toEqual(expected);
});

test('the header of Jupytext', () => {
  const header = lines(`
# ---
# jupyter:
#   jupytext:
#     text_representation:
#       name: wrong
#       format_name: percent
#   kernelspec:
#     display_name: 'My: env'
#     language: python
#     name: "my-env" # a comment
# ---

# %%
x = 1
`);
  expect(kernelInText(header)).toEqual({ name: 'my-env', language: 'python' });
});

test.each([
  ['---\ntitle: A\njupyter: julia-1.10\n---', { name: 'julia-1.10' }],
  ["---\njupyter: 'python3'\n---", { name: 'python3' }],
  [
    '---\njupyter:\n  kernelspec:\n    name: xeus\n    language: cpp\n---',
    { name: 'xeus', language: 'cpp' },
  ],
  ['---\njupyter:\n    kernelspec:\n        name: deep\n---', { name: 'deep' }],
  ['---\nkernelspec:\n  name: myst\n---', { name: 'myst' }],
  ['// ---\n// jupyter:\n//   kernelspec:\n//     name: deno\n// ---\n// %%', { name: 'deno' }],
  ['---\nformat:\n  kernelspec:\n    name: no\nname: no\n---', {}],
  ['---\njupyter:\n  kernelspec:\n    language: r\nname: no\n---', { language: 'r' }],
  ['title\n---\njupyter: no\n---', {}],
  ['---\njupyter: python3', {}],
  ['# Intro\n\n```{r}\n1\n```', { language: 'r' }],
  ['---\ntitle: A\n---\n```python\n```\n```{julia}\n```', { language: 'julia' }],
  ['```{python echo=false}\n```', { language: 'python' }],
  ['# %%\nprint(1)', {}],
  ['', {}],
])('the text %j', (text, expected) => {
  expect(kernelInText(text.split('\n'))).toEqual(expected);
});
