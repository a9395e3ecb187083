import { alerts } from './alerts'
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
import { quota } from './quota'
import { register } from './register'
import { relay } from './relay'
import { rotation } from './rotation'
import { sandbox } from './sandbox'
import { settings } from './settings'
import { shell } from './shell'
import { snippets } from './snippets'
import { sources } from './sources'
import { tools } from './tools'
import { usage } from './usage'
import { welcome } from './welcome'

/** Every text of the window in Vietnamese, one object per domain. */
export const vi = {
  alerts,
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
  quota,
  register,
  relay,
  rotation,
  sandbox,
  settings,
  shell,
  snippets,
  sources,
  tools,
  usage,
  welcome,
}
