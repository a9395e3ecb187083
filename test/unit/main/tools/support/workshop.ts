import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Secret } from '../../../../../src/main/secret'
import { planApply, type ToolRequest } from '../../../../../src/main/tools/apply'
import { commit } from '../../../../../src/main/tools/commit'
import type { Disk } from '../../../../../src/main/tools/disk'
import { environmentOf } from '../../../../../src/main/tools/environment'
import type { Place, ToolPlan } from '../../../../../src/main/tools/plan'
import { planRestore } from '../../../../../src/main/tools/restore'
import type { Target } from '../../../../../src/main/tools/target'
import { quickDisk } from './failing-disk'

export const KEY = 'sk-test-0123456789abcdefghij'
export const OTHER_KEY = 'sk-other-9876543210zyxwvutsr'

/** What the fixtures were written for. */
export const request: ToolRequest = {
  planId: 'plan-1',
  gatewayUrl: 'https://plan.example.com',
  modelCode: 'gw-large',
  smallModelCode: 'gw-small',
  models: ['gw-large', 'gw-small', 'vendor/gw-coder:free'],
  contextTokens: 128_000,
  helperCommand: '/opt/companion/companion key print --plan plan-1 --key key-1',
  key: new Secret(KEY),
}

/** Another plan with another key and other models. */
export const otherRequest: ToolRequest = {
  ...request,
  planId: 'plan-2',
  gatewayUrl: 'https://other.example.org',
  modelCode: 'alpha',
  smallModelCode: 'alpha',
  models: ['alpha', 'beta'],
  contextTokens: 32_000,
  helperCommand: '/opt/companion/companion key print --plan plan-2 --key key-2',
  key: new Secret(OTHER_KEY),
}

/** A home of its own with the engine in it, removed by `close`. */
export class Workshop {
  readonly root = mkdtempSync(join(tmpdir(), 'companion-tools-'))
  readonly home = join(this.root, 'home')
  readonly dataDir = join(this.root, 'data')
  readonly vars: Record<string, string | undefined> = {}
  readonly place: Place

  constructor(disk: Disk = quickDisk) {
    mkdirSync(this.home)
    const environment = environmentOf({ home: this.home, platform: 'linux', vars: this.vars })
    this.place = { environment, dataDir: this.dataDir, disk, clock: () => new Date('2026-11-21T10:00:00Z') }
  }

  on(disk: Disk): Place {
    return { ...this.place, disk }
  }

  fileOf(target: Target): string {
    return target.file(this.place.environment)
  }

  put(path: string, content: string | Uint8Array, mode = 0o644): void {
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

  async apply(target: Target, wanted: ToolRequest = request): Promise<ToolPlan> {
    const plan = await planApply(target, wanted, this.place)
    await commit(plan, this.place.disk)
    return plan
  }

  async restore(target: Target): Promise<ToolPlan> {
    const plan = await planRestore(target, this.place)
    await commit(plan, this.place.disk)
    return plan
  }

  /** Everything below a folder: what each path is, its mode, its bytes. */
  tree(folder = this.home): Record<string, string> {
    const found: Record<string, string> = {}
    const walk = (path: string): void => {
      const facts = lstatSync(path)
      const name = path.slice(folder.length)
      if (facts.isSymbolicLink()) found[name] = `-> ${readlinkSync(path)}`
      else if (facts.isDirectory()) {
        found[`${name}/`] = ''
        for (const entry of readdirSync(path)) walk(join(path, entry))
      } else found[name] = `${(facts.mode & 0o777).toString(8)} ${readFileSync(path).toString('latin1')}`
    }
    if (existsSync(folder)) walk(folder)
    return found
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}
