/** The longest message that a pipe takes, in bytes or characters: more would fill the memory. */
export const MESSAGE_LIMIT = 32 * 1024 * 1024;
