/** What single agents do against the protocol, and cannot be met for all of them alike. */
import type { Implementation } from '@agentclientprotocol/sdk';

/**
 * Gemini CLI (0.61) looks at a file before it writes it, and knows a missing one by the words of an
 * `Error`. The answers of an editor reach it as bare objects, so that it makes no new file, whatever
 * the editor answers but a text.
 */
export function stumblesOverMissingFiles(agent: Implementation | null | undefined): boolean {
  return agent?.name === 'gemini-cli';
}
