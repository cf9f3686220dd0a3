/** The part of the help file that is made from the options' schema. */

export interface Option {
  path: string;
  expected: string;
  /** In Lua's notation; absent where the option is unset by default. */
  default?: string;
  description: string;
}

const WIDTH = 78;

/** The list of all options, in the order of the schema. */
export function renderOptions(options: readonly Option[]): string {
  return options.map(renderOption).join('\n');
}

function renderOption(option: Option): string {
  const tag = `*claude_bridge.${option.path}*`;
  const kind = `${option.expected[0]?.toUpperCase()}${option.expected.slice(1)}`;
  return [
    tag.padStart(WIDTH),
    `${option.path} ~`,
    ...wrap(`${kind}. Default: ${option.default ?? 'unset'}`),
    '',
    ...wrap(option.description),
    '',
  ].join('\n');
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '   ';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = '   ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
