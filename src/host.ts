#!/usr/bin/env node
/**
 * The remote plugin host that ships with the plugin: node-client's own, in one file, so that no
 * package has to be installed globally. `:UpdateRemotePlugins` uses it by way of
 * `g:node_host_prog`, and the plugin runs it as a process of its own.
 */
import process from 'node:process';
import { Host } from 'neovim/lib/host/index.js';

// `provider#node#Require` and the node provider's health check ask the program for its version.
if (process.argv[2] === '--version') {
  process.stdout.write(`${HOST_VERSION}\n`);
  process.exit(0);
}

process.on('unhandledRejection', (reason) => {
  process.stderr.write(`unhandled rejection in a node remote plugin: ${describe(reason)}\n`);
});

new Host().start({ proc: process }).catch((error: unknown) => {
  process.stderr.write(`the node remote plugin host failed to start: ${describe(error)}\n`);
  process.exitCode = 1;
});

function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

/** Of the bundled node-client; set by the build. */
declare const HOST_VERSION: string;
