import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { AppError } from '@shared/failure'
import type { Disk } from '../tools/disk'
import { wslDisk } from '../tools/wsl/disk'
import { listArguments, parseDistributions } from '../tools/wsl/distributions'
import { wslEnvironment } from '../tools/wsl/environment'
import { runWsl } from '../tools/wsl/run'
import type { Machine } from './sites'

/** The Linux distributions of this machine; none on other systems, and none where Windows has not got the subsystem. */
export function distributionsOf(platform: NodeJS.Platform, disk: Disk): Machine['distributions'] {
  const list = async (): Promise<readonly string[]> => {
    if (platform !== 'win32') return []
    const printed = await runWsl(listArguments).catch(() => new Uint8Array())
    return parseDistributions(printed).map(({ name }) => name)
  }
  return {
    list,
    async open(distribution) {
      // Only what there is may be started.
      if (!(await list()).includes(distribution))
        throw new AppError('input.invalid', `There is no distribution ${distribution}.`, { field: 'site' })
      const mark = randomBytes(16).toString('hex')
      const environment = await wslEnvironment(distribution, { run: runWsl, exists: existsSync, mark })
      return { environment, disk: wslDisk(distribution, disk, runWsl) }
    },
  }
}
