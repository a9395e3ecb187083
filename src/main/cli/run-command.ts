import { join } from 'node:path'
import { AppError, type Failure } from '@shared/failure'
import { type Command, CommanderError } from 'commander'
import { version } from '../../../package.json'
import { type Core, createCore } from '../compose/compose'
import { resolveDataDir } from '../core/data-dir'
import { onFatalError } from '../core/fatal-errors'
import { createLauncher, programKind, programPath } from '../core/launcher/launcher'
import { createLog } from '../core/log'
import { proxyFromEnvironment } from '../core/net/proxy'
import { openSettingsFile } from '../core/settings/settings-file'
import { getKeychainAdvice, isKeychainStuck, osKeychain } from '../core/vault/keychain'
import { createVault } from '../core/vault/vault'
import { type Output, printOutput, type Terminal, terminalConfirm } from './output'
import { createProgram } from './program'

interface BuiltFiles {
  readonly outDir: string
  readonly cliPath: string
}

/** Timeout for closing after an unhandled error. */
const closeTimeoutMs = 3_000

/** Runs one command and sets `process.exitCode`. With `ownsProcess`, an unhandled error ends the process. */
export async function runCommand(
  args: readonly string[],
  terminal: Terminal,
  builtFiles: BuiltFiles & { readonly ownsProcess?: boolean },
): Promise<void> {
  const openedCores: Core[] = []
  const close = () => Promise.all(openedCores.map((core) => core.end()))
  const program = createProgram({
    version,
    outDir: builtFiles.outDir,
    makeOutput: (isJson) => outputTo(terminal, isJson),
    streams: terminal,
    openCore: (dataDirOption) => {
      const core = openCore(resolveDataDir(dataDirOption), terminal, builtFiles)
      openedCores.push(core)
      return core
    },
  })
  // End the process on an unhandled error, because polling of platform operations would keep the process alive. The app
  // continues to poll them.
  if (builtFiles.ownsProcess)
    onFatalError((error) => {
      reportCommandError(error, program, terminal)
      const exitProcess = () => process.exit(process.exitCode ?? 1)
      setTimeout(exitProcess, closeTimeoutMs)
      void close().finally(exitProcess)
    })
  await program
    .parseAsync(args, { from: 'user' })
    .catch((error: unknown) => reportCommandError(error, program, terminal))
    .finally(close)
}

function openCore(dataDir: string, terminal: Terminal, { cliPath }: BuiltFiles): Core {
  const { platform } = process
  const warnDamagedFile = (path: string): void =>
    void terminal.stderr.write(
      `companion: Some saved data is unreadable and was ignored. Nothing was deleted, a copy is in ${path}\n`,
    )
  return createCore({
    version,
    dataDir,
    store: openSettingsFile({ dataDir, onSetAside: warnDamagedFile }),
    vault: createVault({ keychain: osKeychain(), install: getKeychainAdvice(platform), sessionAllowed: false }),
    launcher: createLauncher({ dataDir, platform, execPath: programPath(), kind: programKind(), cliPath }),
    log: createLog(dataDir),
    confirm: terminalConfirm(terminal),
    proxyFor: proxyFromEnvironment(process.env),
  })
}

function outputTo({ stdout, stderr }: Terminal, isJson: boolean): Output {
  return {
    isJson,
    hasColour: stdout.isTTY === true && !process.env.NO_COLOR,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
  }
}

/** Exit code 2 for wrong usage, 1 for failures. With JSON, prints the failure to standard output. */
function reportCommandError(error: unknown, program: Command, terminal: Terminal): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2
    return
  }
  const { json = false, dataDir: dataDirOption } = program.opts<{ json?: boolean; dataDir?: string }>()
  const dataDir = resolveDataDir(dataDirOption)
  if (!(error instanceof AppError)) createLog(dataDir).error('cli', error)
  const failure: Failure =
    error instanceof AppError
      ? error.failure
      : { code: 'internal.unexpected', message: `Unexpected error. See ${join(dataDir, 'logs')}.` }
  const output = outputTo(terminal, json)
  if (json) printOutput(output, { ok: false, failure }, () => [])
  else output.err(`companion: ${failure.message}\n`)
  process.exitCode = failure.code === 'input.invalid' ? 2 : 1
}

/** Runs one command. Kills this process if blocked in the keychain, because exiting would wait for that thread. */
export async function runCommandHere(args: readonly string[], builtFiles: BuiltFiles): Promise<void> {
  const terminal = { stdin: () => process.stdin, stdout: process.stdout, stderr: process.stderr }
  await runCommand(args, terminal, { ...builtFiles, ownsProcess: true })
  if (isKeychainStuck()) process.kill(process.pid, 'SIGKILL')
}
