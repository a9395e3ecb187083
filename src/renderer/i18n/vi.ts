import alerts from '../locales/vi/alerts.json' with { type: 'json' }
import budgets from '../locales/vi/budgets.json' with { type: 'json' }
import common from '../locales/vi/common.json' with { type: 'json' }
import compare from '../locales/vi/compare.json' with { type: 'json' }
import connections from '../locales/vi/connections.json' with { type: 'json' }
import doctor from '../locales/vi/doctor.json' with { type: 'json' }
import failures from '../locales/vi/failures.json' with { type: 'json' }
import handouts from '../locales/vi/handouts.json' with { type: 'json' }
import help from '../locales/vi/help.json' with { type: 'json' }
import history from '../locales/vi/history.json' with { type: 'json' }
import home from '../locales/vi/home.json' with { type: 'json' }
import identities from '../locales/vi/identities.json' with { type: 'json' }
import inference from '../locales/vi/inference.json' with { type: 'json' }
import keys from '../locales/vi/keys.json' with { type: 'json' }
import markdown from '../locales/vi/markdown.json' with { type: 'json' }
import mcp from '../locales/vi/mcp.json' with { type: 'json' }
import memory from '../locales/vi/memory.json' with { type: 'json' }
import metrics from '../locales/vi/metrics.json' with { type: 'json' }
import models from '../locales/vi/models.json' with { type: 'json' }
import operations from '../locales/vi/operations.json' with { type: 'json' }
import packages from '../locales/vi/packages.json' with { type: 'json' }
import palette from '../locales/vi/palette.json' with { type: 'json' }
import plans from '../locales/vi/plans.json' with { type: 'json' }
import playground from '../locales/vi/playground.json' with { type: 'json' }
import profiles from '../locales/vi/profiles.json' with { type: 'json' }
import prompts from '../locales/vi/prompts.json' with { type: 'json' }
import quota from '../locales/vi/quota.json' with { type: 'json' }
import register from '../locales/vi/register.json' with { type: 'json' }
import registry from '../locales/vi/registry.json' with { type: 'json' }
import relay from '../locales/vi/relay.json' with { type: 'json' }
import resources from '../locales/vi/resources.json' with { type: 'json' }
import rotation from '../locales/vi/rotation.json' with { type: 'json' }
import runtimes from '../locales/vi/runtimes.json' with { type: 'json' }
import sandbox from '../locales/vi/sandbox.json' with { type: 'json' }
import settings from '../locales/vi/settings.json' with { type: 'json' }
import shell from '../locales/vi/shell.json' with { type: 'json' }
import snippets from '../locales/vi/snippets.json' with { type: 'json' }
import sources from '../locales/vi/sources.json' with { type: 'json' }
import team from '../locales/vi/team.json' with { type: 'json' }
import tools from '../locales/vi/tools.json' with { type: 'json' }
import usage from '../locales/vi/usage.json' with { type: 'json' }
import welcome from '../locales/vi/welcome.json' with { type: 'json' }
import type { en, RequiredTexts } from './en'

/** Requires all keys of `T`. Excludes `..._one`, because Vietnamese only has the plural form `..._other`. */
type Translation<T> = {
  readonly [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string ? string : Translation<T[K]>
}

const texts = {
  alerts,
  budgets,
  common,
  compare,
  connections,
  doctor,
  failures,
  handouts,
  help,
  history,
  home,
  identities,
  inference,
  keys,
  markdown,
  mcp,
  memory,
  metrics,
  models,
  operations,
  packages,
  palette,
  plans,
  playground,
  profiles,
  prompts,
  quota,
  register,
  registry,
  relay,
  resources,
  rotation,
  runtimes,
  sandbox,
  settings,
  shell,
  snippets,
  sources,
  team,
  tools,
  usage,
  welcome,
}

/** Vietnamese texts. Each file in `locales/vi` contains one namespace. */
export const vi = texts satisfies Translation<typeof en> & RequiredTexts
