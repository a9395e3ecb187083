import { type LucideIcon, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
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

export function usePlatformCommands(): readonly Command[] {
  const { t } = useTranslation(['registry', 'runtimes'])
  const text = useResourceText()
  const navigate = useNavigate()
  const createNavigator = (path: string) => (): void => void navigate(path)
  const group = 'platform'
  return [
    ...listedResources.map(
      ({ id, texts, icon, at, list }): Command => ({
        id: `${id}-list`,
        group,
        label: text(texts.title),
        icon,
        also: list.operation,
        run: createNavigator(at),
      }),
    ),
    {
      id: 'container-check',
      group,
      label: t('runtimes:check.title'),
      icon: runtimes.icon,
      also: 'container contract health 8080',
      run: createNavigator(checkPath),
    },
    {
      id: 'docker',
      group,
      label: t('docker.command'),
      icon: repositories.icon,
      also: 'docker login push pull',
      run: createNavigator(dockerPath),
    },
    ...listedResources.flatMap(({ id, texts, at, create }): Command[] =>
      create && texts.create
        ? [
            {
              id: `create-${id}`,
              group,
              label: text(texts.create),
              icon: Plus,
              also: create.operation,
              run: createNavigator(toNewPath(at)),
            },
          ]
        : [],
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

export interface Command {
  readonly id: string
  readonly group: (typeof commandGroups)[number]
  readonly label: string
  readonly icon: LucideIcon
  readonly keys?: readonly string[]
  /** Additional search keywords. */
  readonly also?: string
  readonly run: () => void
}
