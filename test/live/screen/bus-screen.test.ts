/** Every message of the bus, in either direction, on a real Neovim's screen. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { agentMessages, editorWishes } from '../../../src/bus/agent-messages.ts';
import { editorMessages } from '../../../src/bus/editor-messages.ts';
import { BusStage, type Scene } from '../../support/bus-stage.ts';
import { askedScenes } from './asked-scenes.ts';
import { toldScenes } from './told-scenes.ts';
import { userScenes } from './user-scenes.ts';

let stage: BusStage;
beforeAll(async () => {
  stage = await BusStage.start();
});
afterAll(() => stage.dispose());
beforeEach(() => stage.reset());

const ofAgent: Readonly<Record<string, Scene>> = { ...toldScenes, ...askedScenes };
const ofUser: Readonly<Record<string, Scene>> = userScenes;

async function play(scene: Scene | undefined): Promise<void> {
  if (!scene) throw new Error('no scene shows this type on the screen');
  await scene(stage);
  expect(stage.looks, 'looks at the screen').toBeGreaterThan(0);
}

describe('the agent says', () => {
  test.each(Object.keys({ ...agentMessages, ...editorWishes }))('%s', async (type) => {
    await play(ofAgent[type]);
    expect(stage.hasPlayed(type)).toBe(true);
  });
});

describe('the user causes', () => {
  // Those of the wishes come from the agent: see the table of contradictions in doc/bridge.md.
  const own = Object.keys(editorMessages).filter((type) => !Object.hasOwn(editorWishes, type));
  test.each(own)('%s', async (type) => {
    const before = stage.agent.of(type).length;
    await play(ofUser[type]);
    expect(stage.agent.of(type).length).toBeGreaterThan(before);
  });
});

test('the tables are those of the protocol, and nothing else was said', () => {
  expect(Object.keys(agentMessages)).toHaveLength(31);
  // One more than the protocol lists: the answer to a form.
  expect(Object.keys(editorMessages)).toHaveLength(23);
  expect(stage.agent.nonsense).toEqual([]);
});
