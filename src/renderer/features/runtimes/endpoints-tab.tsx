import { Activity, RotateCcw, ScrollText } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { MenuItem } from '../../ui/menu'
import { CreateButton, CreateSheet } from '../resources/create-thing'
import { identifierOf } from '../resources/lookup'
import type { Resource, Subject } from '../resources/resource'
import { ResourceList } from '../resources/resource-list'
import { endpointsOf } from './endpoints'
import { versionOf } from './names'
import type { OpenRuntime } from './open-runtime'
import { runtimePath } from './paths'
import { RollBack } from './roll-back'
import { useSeenVersions, versionBefore } from './seen-versions'
import { useEvery, useVersions } from './use-every'

/** Remembers at which versions the endpoints point, as often as they are told. */
function useSee({ connection, runtimeId }: OpenRuntime, resource: Resource): void {
  const see = useSeenVersions((store) => store.see)
  const { data } = useEvery(connection, resource.list.operation, runtimeId)
  const { identifier } = resource
  useEffect(() => {
    for (const row of data ?? []) {
      const [endpointId, version] = [identifierOf(row, identifier), versionOf(row)]
      if (endpointId !== undefined && version !== undefined) {
        see({ connectionId: connection.id, runtimeId, endpointId }, version)
      }
    }
  }, [data, identifier, connection, runtimeId, see])
}

interface GoingBack {
  readonly subject: Subject
  readonly to: string
}

function useEndpointItems({ connection, runtimeId }: OpenRuntime, rollBack: (back: GoingBack) => void) {
  const { t } = useTranslation('runtimes')
  const navigate = useNavigate()
  const seen = useSeenVersions((store) => store.seen)
  return (subject: Subject): readonly MenuItem[] => {
    const { id: endpointId } = subject
    if (endpointId === undefined) return []
    const to = versionBefore(seen, { connectionId: connection.id, runtimeId, endpointId })
    const go = (tab: 'logs' | 'metrics') => (): void =>
      void navigate(runtimePath(runtimeId, tab, { endpoint: endpointId }))
    return [
      { label: t('endpoints.logs'), icon: ScrollText, onSelect: go('logs') },
      { label: t('endpoints.metrics'), icon: Activity, onSelect: go('metrics') },
      'separator',
      to === undefined
        ? {
            label: t('endpoints.back.label'),
            hint: t('endpoints.back.none'),
            icon: RotateCcw,
            disabled: true,
            onSelect: () => undefined,
          }
        : {
            label: t('endpoints.back.to', { number: to }),
            icon: RotateCcw,
            onSelect: () => rollBack({ subject, to }),
          },
    ]
  }
}

/** The endpoints of a runtime: which version each points at, and how to point it at another or back. */
export function EndpointsTab(open: OpenRuntime) {
  const { connection, runtimeId } = open
  const { all } = useVersions(connection, runtimeId)
  const resource = useMemo(() => endpointsOf(all), [all])
  const scope = useMemo(() => ({ id: runtimeId }), [runtimeId])
  const [back, setBack] = useState<GoingBack>()
  useSee(open, resource)
  const moreItems = useEndpointItems(open, setBack)
  return (
    <>
      <ResourceList
        {...{ resource, connection, scope, moreItems }}
        tools={<CreateButton resource={resource} />}
        emptyAction={<CreateButton resource={resource} />}
      />
      <CreateSheet {...{ resource, connection, scope }} />
      {back ? <RollBack {...{ connection, resource }} {...back} onClose={() => setBack(undefined)} /> : null}
    </>
  )
}
