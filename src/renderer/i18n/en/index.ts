import { common } from './common'
import { connections } from './connections'
import { failures } from './failures'
import { home } from './home'
import { keys } from './keys'
import { operations } from './operations'
import { packages } from './packages'
import { palette } from './palette'
import { plans } from './plans'
import { sandbox } from './sandbox'
import { settings } from './settings'
import { shell } from './shell'
import { tools } from './tools'
import { welcome } from './welcome'

/** Every text of the window in English, one object per domain. */
export const en = {
  common,
  connections,
  failures,
  home,
  keys,
  operations,
  packages,
  palette,
  plans,
  sandbox,
  settings,
  shell,
  tools,
  welcome,
}
