import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError, type Failure } from '@shared/failure'
import { createEnvironment, type EngineContext } from '../../../../../src/main/core/environment'
import type { Disk } from '../../../../../src/main/core/files/disk'
import { Secret } from '../../../../../src/main/core/secret'
import { prepareApply, type ToolRequest } from '../../../../../src/main/tools/apply'
import type { ChangeSet } from '../../../../../src/main/tools/change-set'
import { commit } from '../../../../../src/main/tools/commit'
import { prepareRestore } from '../../../../../src/main/tools/restore'
import { listPaths } from '../../../../../src/main/tools/status'
import { userSite, type WrittenTarget } from '../../../../../src/main/tools/target'
import { makeFolder } from '../../../support/folders'
import { unsyncedDisk } from './quick-disk'

/** Failure of a promise that rejects with one, else undefined. */
export const catchFailure = (work: Promise<unknown>): Promise<Failure | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof AppError) return error.failure
      throw error
    },
  )

/** The lock file in the data folder, held while tools' files are written. */
const writeLock = 'tools.lock'

export const KEY = 'sk-test-0123456789abcdefghij'
export const OTHER_KEY = 'sk-other-9876543210zyxwvutsr'

/** The configuration that the app writes in all fixtures. */
export const request: ToolRequest = {
  planId: 'plan-1',
  gatewayUrl: 'https://plan.example.com',
  modelCode: 'gw-large',
  slots: { small: 'gw-small' },
  models: ['gw-large', 'gw-small', 'vendor/gw-coder:free'],
  contextTokens: 128_000,
  helperCommand: '/opt/companion/companion key print --plan plan-1 --key key-1',
  helperArgv: ['/opt/companion/companion', 'key', 'print', '--plan', 'plan-1', '--key', 'key-1'],
  key: new Secret(KEY),
}

/** A second plan with another key and other models. */
export const otherRequest: ToolRequest = {
  ...request,
  planId: 'plan-2',
  gatewayUrl: 'https://other.example.org',
  modelCode: 'alpha',
  slots: {},
  models: ['alpha', 'beta'],
  contextTokens: 32_000,
  helperCommand: '/opt/companion/companion key print --plan plan-2 --key key-2',
  helperArgv: ['/opt/companion/companion', 'key', 'print', '--plan', 'plan-2', '--key', 'key-2'],
  key: new Secret(OTHER_KEY),
}

/** Options of a workshop. Default: a user's home on Linux. */
type ToolHarnessOptions = {
  readonly disk?: Disk
  readonly vars?: Readonly<Record<string, string>>
  readonly platform?: NodeJS.Platform
  readonly isProject?: boolean
}

/** A temporary home with the engine, removed after the test or by `close`. */
export class ToolHarness {
  readonly root = makeFolder()
  readonly home = join(this.root, 'home')
  readonly dataDir = join(this.root, 'data')
  readonly project = join(this.home, 'project')
  readonly vars: Record<string, string | undefined>
  readonly place: EngineContext

  constructor({ disk = unsyncedDisk, vars = {}, platform = 'linux', isProject = false }: ToolHarnessOptions = {}) {
    mkdirSync(isProject ? this.project : this.home, { recursive: true })
    this.vars = { ...vars }
    const environment = createEnvironment({ home: this.home, platform, vars: this.vars })
    this.place = {
      site: isProject ? { kind: 'project', folder: this.project } : userSite,
      environment: isProject ? { ...environment, project: this.project } : environment,
      dataDir: this.dataDir,
      disk,
      clock: () => new Date('2026-11-21T10:00:00Z'),
    }
  }

  on(disk: Disk): EngineContext {
    return { ...this.place, disk }
  }

  /** Path of the settings file that contains the gateway address. */
  getFile(target: WrittenTarget): string {
    return listPaths(target, this.place)[0] ?? ''
  }

  writeFileAt(path: string, content: string | Uint8Array, mode = 0o644): void {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    chmodSync(path, mode)
  }

  read(path: string): Buffer | undefined {
    return existsSync(path) ? readFileSync(path) : undefined
  }

  mode(path: string): number {
    return statSync(path).mode & 0o777
  }

  async apply(target: WrittenTarget, toolRequest: ToolRequest = request): Promise<ChangeSet> {
    const plan = await prepareApply(target, toolRequest, this.place)
    await this.commit(plan)
    return plan
  }

  async restore(target: WrittenTarget): Promise<ChangeSet> {
    const plan = await prepareRestore(target, this.place)
    await this.commit(plan)
    return plan
  }

  async commit(plan: ChangeSet | readonly ChangeSet[], disk: Disk = this.place.disk): Promise<void> {
    await commit('kind' in plan ? [plan] : plan, this.on(disk))
  }

  /** Each path below a folder with its mode and bytes. */
  tree(folder = this.home): Record<string, string> {
    const fileTree: Record<string, string> = {}
    const walk = (path: string): void => {
      const stats = lstatSync(path)
      const name = path.slice(folder.length)
      if (stats.isSymbolicLink()) fileTree[name] = `-> ${readlinkSync(path)}`
      else if (stats.isDirectory()) {
        fileTree[`${name}/`] = ''
        for (const entry of readdirSync(path)) walk(join(path, entry))
      } else fileTree[name] = `${(stats.mode & 0o777).toString(8)} ${readFileSync(path).toString('latin1')}`
    }
    if (existsSync(folder)) walk(folder)
    return fileTree
  }

  /** Creates the lock file in advance, so that it does not show up in comparisons. */
  makeLock(): void {
    mkdirSync(this.dataDir, { mode: 0o700 })
    writeFileSync(join(this.dataDir, writeLock), '', { mode: 0o600 })
  }

  /**
   * Files and keys that the app leaves after all tools were restored. Excludes the history, its backups and the empty
   * lock file.
   */
  leftOvers(): string[] {
    const pastFilePattern = /^\/tools\/(?:history|backups)\//
    const remainingFiles = Object.entries(this.tree(this.dataDir)).filter(
      ([path, content]) => !(path === `/${writeLock}` && content === '600 '),
    )
    return remainingFiles.map(([path]) => path).filter((path) => !path.endsWith('/') && !pastFilePattern.test(path))
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}
