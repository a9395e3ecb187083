import { readFile } from 'node:fs/promises'
import { AppError } from '@shared/failure'
import type { EngineContext } from '../core/environment'
import { isSameOrigin } from '../core/net/address'
import { cleanPastedKey, type Secret } from '../core/secret'
import { listPaths, readTool } from './status'
import type { FoundCredential, WrittenTarget } from './target'

/** Runs a helper command in the same way as a tool, and resolves with its output. Rejects if the command fails. */
export type HelperRun = (command: string) => Promise<string>

/**
 * Reads a tool's settings like the tool, including the helper command. `key` is undefined if the user typed the key
 * into the tool, or set its variable in a shell that this app cannot read. Fails with `tool.notConfigured`,
 * `tool.otherGateway` (then no key was read) or `tool.helperFailed`.
 */
export async function readToolSettings(
  target: WrittenTarget,
  gatewayUrl: string,
  place: EngineContext,
  helper: Omit<KeyContext, 'variables'>,
) {
  const [path = ''] = listPaths(target, place)
  const { base, modelCode, credential } = await readTool(target, place)
  if (!base) throw new AppError('tool.notConfigured', `${target.name} has no address in ${path}. Configure it again.`)
  if (!isSameOrigin(base, gatewayUrl)) {
    const message = `${path} sends ${target.name} to another address than the plan's gateway ${gatewayUrl}. No key was sent. Configure it again.`
    throw new AppError('tool.otherGateway', message)
  }
  const variables = place.environment.vars
  return { base, modelCode, key: credential && (await readCredentialKey(credential, { ...helper, variables })) }
}

type KeyContext = {
  /** Start of this app's helper commands, quoted for the shell. Commands that do not start with it are not executed. */
  readonly ownHelper: string
  readonly runHelper: HelperRun
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Reads a key. Undefined if the variable is not set. Fails with `tool.helperFailed` or `file.unreadable`. */
export async function readCredentialKey(
  credential: FoundCredential,
  { ownHelper, runHelper, variables }: KeyContext,
): Promise<Secret | undefined> {
  if (credential.kind === 'plain') return credential.text
  if (credential.kind === 'variable')
    return variables[credential.name] ? cleanPastedKey(variables[credential.name] ?? '') : undefined
  if (credential.kind === 'file') {
    const { path } = credential
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw new AppError('file.unreadable', `The key file ${path} cannot be read. Configure the tool again.`, { cause })
    })
    return cleanPastedKey(text)
  }
  const { command } = credential
  // Only our key helper with plain arguments is run. Other shell syntax makes a command foreign.
  if (!command.startsWith(`${ownHelper} `) || !/^[\w -]+$/.test(command.slice(ownHelper.length))) {
    const message = 'The helper command in the settings is not the one of this app. Configure the tool again.'
    throw new AppError('tool.helperFailed', message)
  }
  const helperOutput = await runHelper(command).catch((cause: unknown) => {
    const message = 'The helper command that gives the tool its key failed. Configure the tool again.'
    throw new AppError('tool.helperFailed', message, { cause })
  })
  return cleanPastedKey(helperOutput)
}
