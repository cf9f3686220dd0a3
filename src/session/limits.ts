/** How much of a session is kept and shown, so that no agent can fill the editor. */

/** UTF-16 code units. */
export const OUTPUT_LIMITS = { head: 128 * 1024, tail: 32 * 1024 };
export const MESSAGE_LIMITS = { head: 1024 * 1024, tail: 32 * 1024 };
export const INPUT_LIMIT = 64 * 1024;
export const ERROR_LIMIT = 16 * 1024;
export const TITLE_LIMIT = 300;
/** Of all diffs of one tool call or prompt together; longer ones are shown in the review only. */
export const DIFF_LIMIT = 100 * 1024;
export const ENTRY_COUNT_LIMIT = 5_000;
export const CONVERSATION_LIMIT = 16 * 1024 * 1024;
/** Of a list, and of texts of a few lines in it. */
export const COUNT_LIMIT = 500;
export const LINES_LIMIT = 2 * 1024;
export const ID_LIMIT = 1024;
export const PATH_LIMIT = 4 * 1024;
/** Requests of an agent that wait for the user at a time, and characters of all of them. */
export const PROMPT_COUNT_LIMIT = 1_000;
export const PROMPTS_LIMIT = 32 * 1024 * 1024;
/** Tool calls that run at a time, as far as anything is remembered of them. */
export const RUNNING_LIMIT = 1_000;
