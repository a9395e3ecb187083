import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { createSerialiser } from './serialise'
import { Seed, World } from './world'

const debounceMs = 200

/** Tells the person at the terminal something that is not part of the output. */
export type Notify = (text: string) => void

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw new Error(`The state file cannot be read: ${reason(error)}`, { cause: error })
  }
}

type Begin = (seed: string, nowMs: number) => World

/** A file of the first version had plans only; its keys live on in a fresh world with its seed, because tools may hold them. */
const FirstVersion = z.object({ version: z.literal(1), seed: Seed })

function readWorld(content: unknown, begin: Begin): World {
  const first = FirstVersion.safeParse(content)
  return first.success ? begin(first.data.seed, Date.now()) : World.parse(content)
}

/**
 * The world in a state file, or `undefined` for a new one. Content that cannot be used is moved aside, never overwritten; rejects when
 * the path is no file that could be read (a folder, no permission).
 */
export async function loadWorld(
  path: string,
  { notify, begin }: { notify: Notify; begin: Begin },
): Promise<World | undefined> {
  const text = await readIfThere(path)
  if (text === undefined) return undefined
  try {
    return readWorld(JSON.parse(text), begin)
  } catch {
    const aside = `${path}.broken-${new Date().toISOString().replaceAll(':', '-')}`
    await rename(path, aside)
    notify(`The state file ${path} could not be used. It was moved to ${aside}, and a fresh state was begun.`)
    return undefined
  }
}

/** Writes a file so that at any moment either the old or the new content is there; only its owner may read it. */
async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  await mkdir(dirname(path), { recursive: true })
  try {
    const file = await open(temporary, 'wx', 0o600)
    await file.writeFile(text).finally(async () => {
      await file.sync()
      await file.close()
    })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Writes worlds to one file: changes within 200 ms together, one write at a time, `flush` at once. */
export interface StateWriter {
  readonly save: (world: World) => void
  readonly flush: () => Promise<void>
}

/** A writer for `path`. A failed write is said and tried again with the next change; it never stops the sandbox. */
export function createStateWriter(path: string, notify: Notify): StateWriter {
  const serialise = createSerialiser()
  let pending: World | undefined
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const write = async () => {
    if (pending === undefined) return
    const text = `${serialise(pending)}\n`
    pending = undefined
    await writeWhole(path, text).catch((error) => notify(`The state file was not written: ${reason(error)}`))
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }
  const save = (world: World) => {
    pending = world
    timer ??= setTimeout(flush, debounceMs).unref()
  }
  return { save, flush }
}
