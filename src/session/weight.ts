/** How much of a conversation an entry is, in characters. */
import type { Attachment, Entry, FileDiff } from './model.ts';

/** All but the text that streams, which is counted where it is kept. */
export function weightOf(entry: Entry): number {
  return entry.id.length + contentsOf(entry);
}

function contentsOf(entry: Entry): number {
  switch (entry.kind) {
    case 'tool': {
      const { title, input = '', error = '', diffs = [], locations = [] } = entry;
      const places = locations.reduce((sum, { path }) => sum + path.length, 0);
      return title.length + input.length + error.length + places + diffsOf(diffs);
    }
    case 'plan':
      return entry.items.reduce((sum, { text }) => sum + text.length, 0);
    case 'notice':
      return entry.text.length;
    case 'attachment':
      return attachmentOf(entry.attachment);
    default:
      return (entry.attachments ?? []).reduce((sum, one) => sum + attachmentOf(one), 0);
  }
}

function diffsOf(diffs: readonly FileDiff[]): number {
  return diffs.reduce(
    (sum, { path, before = '', after }) => sum + path.length + before.length + after.length,
    0,
  );
}

function attachmentOf({ label, path = '' }: Attachment): number {
  return label.length + path.length;
}
