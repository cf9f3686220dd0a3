'use strict';
// The remote plugin's only entry. The host swallows what a plugin throws while it loads, so a
// build that is missing or broken is told to the user from here. An old Node must be able to parse
// this file, to say what it lacks.
const path = require('node:path');

const built = path.join(__dirname, '..', '..', 'dist', 'claude_bridge.cjs');

module.exports = (plugin) => {
  try {
    require(built).register(plugin);
  } catch (error) {
    const message =
      error && error.code === 'MODULE_NOT_FOUND' && String(error.message).includes(built)
        ? `not built yet: run "npm run build" in ${path.join(__dirname, '..', '..')}`
        : `could not be loaded: ${error && error.message}`;
    const report = () =>
      plugin.nvim.request('nvim_exec_lua', [
        'require("claude_bridge.session").failed({ message = ... })',
        [message],
      ]);
    // Registered all the same, so that the manifest knows the plugin and the failure has a voice.
    plugin.registerFunction('ClaudeBridgeNotify', report, { sync: false });
  }
};
