import { alerts } from './alerts'
import { common } from './common'
import { compare } from './compare'
import { connections } from './connections'
import { doctor } from './doctor'
import { failures } from './failures'
import { handouts } from './handouts'
import { history } from './history'
import { home } from './home'
import { identities } from './identities'
import { inference } from './inference'
import { keys } from './keys'
import { markdown } from './markdown'
import { memory } from './memory'
import { models } from './models'
import { operations } from './operations'
import { packages } from './packages'
import { palette } from './palette'
import { plans } from './plans'
import { playground } from './playground'
import { profiles } from './profiles'
import { prompts } from './prompts'
import { quota } from './quota'
import { register } from './register'
import { registry } from './registry'
import { relay } from './relay'
import { resources } from './resources'
import { rotation } from './rotation'
import { runtimes } from './runtimes'
import { sandbox } from './sandbox'
import { settings } from './settings'
import { shell } from './shell'
import { snippets } from './snippets'
import { sources } from './sources'
import { tools } from './tools'
import { usage } from './usage'
import { welcome } from './welcome'

/** Every text of the window in English, one object per domain. */
export const en = {
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
  playground,
  compare,
  prompts,
  inference,
  markdown,
  resources,
  memory,
  runtimes,
  registry,
  identities,
  models,
  welcome,
}
