import type { ConnectionDraft } from '@shared/contract'
import { AppError } from '@shared/failure'
import { readConnectionText } from '../connections/connection-file'
import { commandLine } from '../consent/question-text'
import { cleanPastedKey, Secret } from '../secret'
import type { CommandContext } from './context'
import { correctionLines } from './format'
import { print } from './output'

/** The options of `companion connection add`. */
export interface AddOptions {
  readonly file: string
  readonly secretStdin?: boolean
  /** Allows the program that the file names. */
  readonly yes?: boolean
}

/** Adds the connection of a file; what was put right and what is missing is told on standard error. */
export async function addConnection(
  context: CommandContext,
  { file, secretStdin = false, yes = false }: AddOptions,
): Promise<void> {
  const { core, output, readStdin } = context
  if (secretStdin && file === '-') {
    const message = 'Standard input holds one thing: name the connection file, and give the secret by standard input.'
    throw new AppError('input.invalid', message, { field: 'file' })
  }
  const { corrections, ...draft } = core.connections.readDraft(
    await (file === '-' ? readStdin() : readConnectionText(file)),
  )
  const secret = secretStdin ? await readSecret(context, draft.tokenSource) : undefined
  const { tokenSource } = draft
  if (tokenSource?.kind === 'command')
    output.err(`The file names a program that runs for the tokens: ${commandLine(tokenSource.command)}\n`)
  const saved = await core.connections.save(draft, secret, yes ? async () => true : undefined)
  for (const line of correctionLines([...corrections, ...saved.corrections])) output.err(`${line}\n`)
  const { name, secret: kept, isActive } = saved.connection
  if (kept === 'missing') output.err(missing)
  print(output, saved.connection, () => [
    `Added ${name}${kept === 'keychain' ? '; its secret is in the OS keychain' : ''}.`,
    isActive ? 'It is the active connection.' : `"companion connection use ${name}" makes it the active one.`,
  ])
}

const missing =
  'It has no secret yet, so no call will get a token. Remove it and add it again with --secret-stdin, or enter the secret in the window.\n'

/** A client's secret is taken as it is; around a token, `Bearer` and quotes come off. */
async function readSecret({ readStdin }: CommandContext, source: ConnectionDraft['tokenSource']): Promise<Secret> {
  switch (source?.kind) {
    case 'client-credentials':
      return new Secret((await readStdin()).trim())
    case 'pasted':
      return cleanPastedKey(await readStdin())
    default: {
      const message = 'The token source of this file takes no secret. Leave --secret-stdin out.'
      throw new AppError('input.invalid', message, { field: 'tokenSource' })
    }
  }
}
