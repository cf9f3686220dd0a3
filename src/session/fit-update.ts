/** Bounds what an agent tells, so that no single thing it says can fill the editor or hold it up. */
import { cut, ofItsOwn } from './bounded-text.ts';
import { oneLine } from './entry-texts.ts';
import { COUNT_LIMIT, ID_LIMIT, INPUT_LIMIT, LINES_LIMIT, PATH_LIMIT } from './limits.ts';
import type { Choice, EntryId } from './model.ts';
import type { SessionUpdate } from './ports.ts';

export function fitUpdate(update: SessionUpdate): SessionUpdate {
  switch (update.kind) {
    case 'text':
      return update.id === undefined ? update : { ...update, id: fitId(update.id) };
    case 'message':
    case 'tool':
    case 'tool-output':
    case 'removed':
      return { ...update, id: fitId(update.id) };
    case 'notice':
      return { ...update, text: cut(update.text, INPUT_LIMIT) };
    case 'plan': {
      const items = update.items.slice(0, COUNT_LIMIT);
      return {
        ...update,
        items: items.map((item) => ({ ...item, text: cut(item.text, LINES_LIMIT) })),
      };
    }
    case 'attachment': {
      const { label, mime, path, size } = update.attachment;
      const attachment = {
        label: oneLine(label),
        ...(path !== undefined && path.length <= PATH_LIMIT && { path }),
        ...(mime && { mime: oneLine(mime) }),
        ...(size !== undefined && { size }),
      };
      return { ...update, attachment };
    }
    case 'progress': {
      const { stage, message, ...rest } = update.progress;
      const progress = {
        ...rest,
        stage: oneLine(stage),
        ...(message && { message: oneLine(message) }),
      };
      return { ...update, progress: { ...progress, id: fitId(progress.id) } };
    }
    case 'about':
      return { ...update, about: aboutOf(update.about) };
    case 'choices': {
      const { models, modes, commands } = update.choices;
      const choices = {
        ...(models && { models: models.slice(0, COUNT_LIMIT).map(choice) }),
        ...(modes && { modes: modes.slice(0, COUNT_LIMIT).map(choice) }),
        ...(commands && {
          commands: commands.slice(0, COUNT_LIMIT).map(({ name, description, hint }) => ({
            name: oneLine(name),
            description: oneLine(description),
            ...(hint !== undefined && { hint: oneLine(hint) }),
          })),
        }),
      };
      return { ...update, choices };
    }
    default:
      return update;
  }
}

/** Only what is shown here is told apart by it. */
const fitId = (id: EntryId): EntryId =>
  id.length > ID_LIMIT ? ofItsOwn(id.slice(0, ID_LIMIT)) : id;

/** What goes back to the agent is used as it is or not at all. */
function aboutOf(about: Extract<SessionUpdate, { kind: 'about' }>['about']): typeof about {
  const { title, ...ids } = about;
  const short = Object.entries(ids).filter(([, id]) => id.length <= ID_LIMIT);
  return { ...Object.fromEntries(short), ...(title !== undefined && { title: oneLine(title) }) };
}

function choice({ id, label, description }: Choice): Choice {
  return {
    id,
    label: oneLine(label),
    ...(description !== undefined && { description: oneLine(description) }),
  };
}
