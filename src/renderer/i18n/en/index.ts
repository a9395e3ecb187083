import { common } from './common'
import { connections } from './connections'
import { doctor } from './doctor'
import { failures } from './failures'
import { handouts } from './handouts'
import { history } from './history'
import { home } from './home'
import { keys } from './keys'
import { operations } from './operations'
import { packages } from './packages'
import { palette } from './palette'
import { plans } from './plans'
import { profiles } from './profiles'
import { register } from './register'
import { rotation } from './rotation'
import { sandbox } from './sandbox'
import { settings } from './settings'
import { shell } from './shell'
import { snippets } from './snippets'
import { tools } from './tools'
import { welcome } from './welcome'

/** Every text of the window in English, one object per domain. */
export const en = {
  common,
  connections,
  doctor,
  failures,
  handouts,
  history,
  home,
  keys,
  operations,
  packages,
  palette,
  plans,
  profiles,
  register,
  rotation,
  sandbox,
  settings,
  shell,
  snippets,
  tools,
  welcome,
}
