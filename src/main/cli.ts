#!/usr/bin/env node
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { AppError, type Failure } from '@shared/failure'
import { CommanderError } from 'commander'
import { version } from '../../package.json'
import type { Output } from './cli/output'
import { createProgram } from './cli/program'
import { type Core, createCore } from './core'
import { defaultDataDir } from './data-dir'
import { launcherOf } from './launcher'
import { createLog } from './log'
import { proxyFromEnvironment } from './net/environment-proxy'
import { openNodeStore } from './settings/node-settings'
import { keychainAdvice, osKeychain } from './vault/keychain'
import { createVault } from './vault/vault'

const opened: Core[] = []

const program = createProgram({
  version,
  sandboxPath: join(__dirname, 'sandbox.cjs'),
  usagePath: join(__dirname, 'usage.cjs'),
  playgroundPath: join(__dirname, 'playground.cjs'),
  countPath: join(__dirname, 'count.cjs'),
  readStdin: () => text(process.stdin),
  makeOutput,
  openCore: (given) => {
    const { platform, execPath } = process
    const dataDir = dataDirOf(given)
    const core = createCore({
      version,
      dataDir,
      store: openNodeStore({ cwd: dataDir, name: 'settings' }, tellSetAside),
      vault: createVault({ keychain: osKeychain(), install: keychainAdvice(platform), sessionAllowed: false }),
      launcher: launcherOf({
        dataDir,
        platform,
        execPath,
        isElectron: 'electron' in process.versions,
        cliPath: __filename,
      }),
      log: createLog(dataDir),
      proxyFor: proxyFromEnvironment(process.env),
    })
    opened.push(core)
    return core
  },
})

for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
  command.exitOverride()
}
// What is followed at the platform would keep the process; the app goes on with it.
program
  .parseAsync(process.argv)
  .catch(fail)
  .finally(() => Promise.all(opened.map((core) => core.end())))

function tellSetAside(path: string): void {
  process.stderr.write(`companion: The settings could not be read in full. What they were is kept as ${path}\n`)
}

function dataDirOf(given: string | undefined): string {
  return given ? resolve(given) : defaultDataDir({ platform: process.platform, home: homedir(), vars: process.env })
}

function makeOutput(isJson: boolean): Output {
  return {
    isJson,
    hasColour: process.stdout.isTTY && !process.env.NO_COLOR,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  }
}

/** Exit 2 for a wrong call, 1 for what failed; the failure as JSON on standard output when JSON was asked for. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2
    return
  }
  const { json = false, dataDir } = program.opts<{ json?: boolean; dataDir?: string }>()
  const failure = failureOf(error, dataDirOf(dataDir))
  const output = makeOutput(json)
  if (json) output.out(`${JSON.stringify({ ok: false, failure })}\n`)
  else output.err(`companion: ${failure.message}\n`)
  process.exitCode = failure.code === 'input.invalid' ? 2 : 1
}

function failureOf(error: unknown, dataDir: string): Failure {
  if (error instanceof AppError) return error.failure
  createLog(dataDir).error('cli', error)
  return { code: 'internal.unexpected', message: `Something failed unexpectedly; see ${join(dataDir, 'logs')}.` }
}
