import { withDesktop } from './lib/desktop.mjs'
import { run } from './lib/processes.mjs'
import { script } from './lib/script.mjs'

const usage = 'Usage: node scripts/with-desktop.mjs [--no-keyring] [--private-home] COMMAND [ARGUMENT]...'

/**
 * Runs a command in a virtual desktop and returns its exit code.
 * @param {string[]} args
 */
async function runInDesktop(args) {
  const commandIndex = args.findIndex((arg) => !arg.startsWith('--'))
  const [command, ...rest] = commandIndex < 0 ? [] : args.slice(commandIndex)
  const flags = new Set(args.slice(0, Math.max(0, commandIndex)))
  if (command === undefined || [...flags].some((flag) => !['--no-keyring', '--private-home'].includes(flag))) {
    console.error(usage)
    return 2
  }
  const options = { keyring: !flags.has('--no-keyring'), privateHome: flags.has('--private-home') }
  return withDesktop(async (env) => (await run(command, rest, { env })).code, options)
}

await script(import.meta.url, runInDesktop)
