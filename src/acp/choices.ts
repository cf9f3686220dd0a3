/** What an agent can do, and its models and modes, of which agents tell in three ways. */
import type { InitializeResponse } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import type { Choice } from '../session/model.ts';
import type { SessionUpdate } from '../session/ports.ts';

const text = z.string();

const Modes = z.object({
  currentModeId: text,
  availableModes: z.array(z.object({ id: text, name: text, description: text.nullish() })),
});

/** Not in the stable protocol; agents send it all the same. */
const Models = z.object({
  currentModelId: text,
  availableModels: z.array(z.object({ modelId: text, name: text, description: text.nullish() })),
});

const Option = z.object({ value: text, name: text, description: text.nullish() });
const ConfigOption = z.object({
  id: text,
  category: text.nullish(),
  currentValue: z.union([text, z.boolean()]),
  options: z
    .array(z.union([Option, z.object({ group: text, options: z.array(Option) })]))
    .nullish(),
});

const Settings = z.object({
  modes: Modes.nullish().catch(undefined),
  models: Models.nullish().catch(undefined),
  configOptions: z.array(ConfigOption).nullish().catch(undefined),
});

export type Settings = z.output<typeof Settings>;

/** How a model or a mode is set with this agent. */
export type Way = { readonly by: 'method' } | { readonly by: 'option'; readonly id: string };

export interface Ways {
  readonly model?: Way;
  readonly mode?: Way;
}

export function abilitiesOf({ agentCapabilities: can }: InitializeResponse): SessionUpdate {
  const resume = Boolean(can?.sessionCapabilities?.resume);
  return {
    kind: 'abilities',
    abilities: {
      reset: true,
      list: Boolean(can?.sessionCapabilities?.list),
      load: can?.loadSession === true || resume,
      images: can?.promptCapabilities?.image === true,
    },
  };
}

/** @param answer of `session/new`, `session/load`, or a part of an update. */
export function waysOf(answer: unknown): Ways {
  const settings = parse(answer);
  const model = optionOf(settings, 'model');
  const mode = optionOf(settings, 'mode');
  return {
    ...(settings.models ? { model: { by: 'method' } } : model && { model: byOption(model) }),
    ...(settings.modes ? { mode: { by: 'method' } } : mode && { mode: byOption(mode) }),
  };
}

export function choicesOf(answer: unknown): readonly SessionUpdate[] {
  const settings = parse(answer);
  const models = settings.models
    ? {
        current: settings.models.currentModelId,
        choices: settings.models.availableModels.map(({ modelId, ...rest }) =>
          choice({ value: modelId, ...rest }),
        ),
      }
    : ofOption(optionOf(settings, 'model'));
  const modes = settings.modes
    ? {
        current: settings.modes.currentModeId,
        choices: settings.modes.availableModes.map(({ id, ...rest }) =>
          choice({ value: id, ...rest }),
        ),
      }
    : ofOption(optionOf(settings, 'mode'));
  if (!models && !modes) return [];
  return [
    {
      kind: 'choices',
      choices: {
        ...(models && { models: models.choices }),
        ...(modes && { modes: modes.choices }),
      },
    },
    {
      kind: 'about',
      about: { ...(models && { model: models.current }), ...(modes && { mode: modes.current }) },
    },
  ];
}

function parse(answer: unknown): Settings {
  const parsed = Settings.safeParse(answer ?? {});
  return parsed.success ? parsed.data : {};
}

type ConfigOption = z.output<typeof ConfigOption>;

function optionOf(settings: Settings, category: 'model' | 'mode'): ConfigOption | undefined {
  return settings.configOptions?.find((option) => option.category === category && option.options);
}

const byOption = ({ id }: ConfigOption): Way => ({ by: 'option', id });

function ofOption(option: ConfigOption | undefined) {
  if (!option) return undefined;
  const flat = (option.options ?? []).flatMap((one) => ('group' in one ? one.options : [one]));
  return { current: String(option.currentValue), choices: flat.map(choice) };
}

function choice({ value, name, description }: z.output<typeof Option>): Choice {
  return { id: value, label: name, ...(description && { description }) };
}
