// Finds a Neovim that is new enough, or fetches one where that can be done without the user.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { Failure, inProject, isExecutable, onPath, run } from './project.mjs';

const OLDEST = [0, 10];
/** The Debian suite whose Neovim is fetched, and where it goes. */
const FETCHED = { suite: 'forky', prefix: inProject('.nvim/0.12') };

/**
 * The path of a Neovim: the one that NVIM names, else that of PATH, else an earlier fetched one,
 * else a fetched one.
 */
export async function findNvim(env = process.env) {
  const named = namedByUser(env);
  if (named) {
    const program = isExecutable(named) ? named : onPath(named, env);
    if (!program || !isNewEnough(program)) {
      throw new Failure(`NVIM=${named} is no Neovim ${OLDEST.join('.')} or newer.`);
    }
    return program;
  }
  const candidates = [onPath('nvim', env), ...fetched()];
  const found = candidates.find((program) => program && isNewEnough(program));
  return found ?? fetchNvim();
}

/** Inside a :terminal, NVIM is the socket of the Neovim around it, and no program. */
function namedByUser(env) {
  const named = env.NVIM;
  if (!named || fs.statSync(named, { throwIfNoEntry: false })?.isSocket()) return undefined;
  return named;
}

function fetched() {
  const cache = inProject('.nvim');
  if (!fs.existsSync(cache)) return [];
  const versions = fs.readdirSync(cache).sort().reverse();
  return versions.map((version) => `${cache}/${version}/bin/nvim`).filter(isExecutable);
}

function isNewEnough(program) {
  const [major, minor] = versionOf(program);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** @returns {number[]} major, minor, patch; [-1] where the program does not run */
function versionOf(program) {
  try {
    const said = execFileSync(program, ['--version'], { encoding: 'utf8', timeout: 20_000 });
    return /NVIM v(\d+)\.(\d+)\.(\d+)/.exec(said)?.slice(1).map(Number) ?? [-1];
  } catch {
    return [-1]; // it is broken, or of another machine
  }
}

async function fetchNvim() {
  const advice =
    'Install one (https://neovim.io/doc/install), or name one: NVIM=/path/to/nvim npm test.';
  const wanted = `No Neovim ${OLDEST.join('.')} or newer was found`;
  if (!onPath('apt-get') || !onPath('dpkg-deb')) throw new Failure(`${wanted}. ${advice}`);
  console.error(`${wanted}; fetching one into .nvim/ ...`);
  const script = [inProject('scripts/fetch-nvim'), FETCHED.suite, FETCHED.prefix];
  const code = await run('bash', script, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (code !== 0) throw new Failure(`None could be fetched. ${advice}`);
  return `${FETCHED.prefix}/bin/nvim`;
}
