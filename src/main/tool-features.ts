import { homedir } from 'node:os'
import type { Core, CoreOptions } from './core'
import { Doctor } from './features/doctor'
import { Profiles } from './features/profiles'
import { Tools } from './features/tools'
import { runHelper } from './run-helper'
import { distributionsOf } from './setups/distributions'
import { createDetector } from './tools/detect'
import { realDisk } from './tools/disk'
import { environmentOf } from './tools/environment'
import { createLoginShell } from './tools/login-shell'
import { writtenTarget } from './tools/targets'

/** What knows the coding tools: their targets, editors and libraries are most of what the command line would load. */
export interface ToolFeatures {
  readonly tools: Tools
  readonly profiles: Profiles
  readonly doctor: Doctor
}

/** Builds the features of the coding tools over a core; nothing runs yet. */
export function createToolFeatures(
  { settings, plans, check }: Pick<Core, 'settings' | 'plans' | 'check'>,
  { dataDir, vault, launcher }: Pick<CoreOptions, 'dataDir' | 'vault' | 'launcher'>,
): ToolFeatures {
  const clock = (): Date => new Date()
  const environment = environmentOf({ home: homedir(), platform: process.platform, vars: process.env })
  const place = { environment, dataDir, disk: realDisk, clock }
  const machine = { place, distributions: distributionsOf(process.platform, realDisk) }
  const detect = createDetector(environment)
  const loginShell = createLoginShell()
  const tools = new Tools({ plans, vault, check, machine, detect, launcher, runHelper, loginShell })
  return {
    tools,
    profiles: new Profiles({ settings, plans, tools, clock }),
    doctor: new Doctor({ target: writtenTarget, depsAt: (target, site) => tools.examination(target, site) }),
  }
}
