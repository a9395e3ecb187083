import { type LucideIcon, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { checkPath } from '../../../paths'
import { identityResources } from '../../platform/identities'
import { memories } from '../../platform/memory'
import { apiKeys, models } from '../../platform/models'
import { dockerPath, repositories, robotAccounts } from '../../platform/registry'
import { type Resource, toNewPath, useResourceText } from '../../platform/resources'
import { runtimes } from '../../platform/runtimes'

const listedResources: readonly Resource[] = [
  memories,
  runtimes,
  ...identityResources,
  repositories,
  robotAccounts,
  models,
  apiKeys,
]

export function usePlatformCommands(): readonly GroupCommand[] {
  const { t } = useTranslation(['registry', 'runtimes'])
  const text = useResourceText()
  return [
    ...listedResources.map(({ texts, icon, at, list }) =>
      toPage(`${at}-list`, icon, at, text(texts.title), list.operation),
    ),
    toPage('container-check', runtimes.icon, checkPath, t('runtimes:check.title'), 'container contract health 8080'),
    toPage('docker', repositories.icon, dockerPath, t('docker.command'), 'docker login push pull'),
    ...listedResources.flatMap(({ at, create }) =>
      create ? [toPage(`create-${at}`, Plus, toNewPath(at), text(create.title), create.operation)] : [],
    ),
  ]
}

export const commandGroups = [
  'go',
  'connections',
  'tools',
  'plans',
  'usage',
  'keys',
  'playground',
  'platform',
  'window',
] as const

interface CommandFacts {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  readonly keys?: readonly string[]
  /** Additional search keywords. */
  readonly also?: string | undefined
}

/** A command that toPage a page or runs an action. */
export type GroupCommand = CommandFacts & ({ readonly path: string } | { readonly run: () => void })

/** A command that toPage a page. */
export const toPage = (id: string, icon: LucideIcon, path: string, label: string, also?: string): GroupCommand => ({
  id,
  icon,
  path,
  label,
  also,
})

export type Command = GroupCommand & { readonly group: (typeof commandGroups)[number] }
