import path from 'node:path';
import { expect, test } from 'vitest';
import { EditedProposals } from '../../src/acp/edits.ts';
import { AgentFiles } from '../../src/acp/files.ts';
import { tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

test('of an agent that asks for any number of files at once, a few are under way', async () => {
  const folder = tempDir();
  const waiting: (() => void)[] = [];
  const hold = () => new Promise<void>((go) => waiting.push(go));
  const files = new AgentFiles({
    folders: () => [folder],
    mayRead: () => true,
    edits: new EditedProposals(),
    buffers: {
      read: async (file) => {
        await hold();
        return path.basename(file);
      },
      write: hold,
    },
  });
  const all = Array.from({ length: 20 }, async (_, at) => {
    const file = path.join(folder, `f${at}`);
    await (at % 2 ? files.write({ sessionId: 's', path: file, content: '' }) : undefined);
    const { content } = await files.read({ sessionId: 's', path: file });
    return content;
  });
  let most = 0;
  for (let done = 0; done < 30; done += 1) {
    await waitFor(() => expect(waiting.length).toBeGreaterThan(0));
    most = Math.max(most, waiting.length);
    waiting.shift()?.();
  }
  expect(await Promise.all(all)).toEqual(Array.from({ length: 20 }, (_, at) => `f${at}`));
  expect(most).toBe(4);
});
