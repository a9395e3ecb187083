import type { ConnectionView } from '@shared/contract'
import { Activity, RotateCcw, ScrollText } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { create } from 'zustand'
import { ConfirmDialog } from '../../ui/dialog'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import { CreateButton, CreateSheet } from '../resources/create-thing'
import { identifierOf } from '../resources/lookup'
import type { Resource, Subject } from '../resources/resource'
import { ResourceFailure } from '../resources/resource-failure'
import { ResourceList } from '../resources/resource-list'
import { targetOf } from '../resources/subject'
import { useRun } from '../resources/use-run'
import { endpointsOf } from './endpoints'
import { versionOf } from './names'
import type { OpenRuntime } from './open-runtime'
import { runtimePath } from './paths'
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

/** How many versions are remembered of an endpoint. */
const longest = 20

/** Which endpoint of which connection. */
interface EndpointKey {
  readonly connectionId: string
  readonly runtimeId: string
  readonly endpointId: string
}

const keyOf = ({ connectionId, runtimeId, endpointId }: EndpointKey): string =>
  JSON.stringify([connectionId, runtimeId, endpointId])

interface SeenVersions {
  readonly seen: Readonly<Record<string, readonly string[]>>
  readonly see: (endpoint: EndpointKey, version: string) => void
}

/** At which versions endpoints were seen to point, one after the other: the platform tells the present one alone. Kept while the window lives. */
export const useSeenVersions = create<SeenVersions>((set) => ({
  seen: {},
  see: (endpoint, version) =>
    set((store) => {
      const key = keyOf(endpoint)
      const before = store.seen[key] ?? []
      if (before.at(-1) === version) return store
      return { seen: { ...store.seen, [key]: [...before, version].slice(-longest) } }
    }),
}))

/** The version that an endpoint was seen to point at before the present one. */
export const versionBefore = (seen: SeenVersions['seen'], endpoint: EndpointKey): string | undefined =>
  seen[keyOf(endpoint)]?.at(-2)

interface RollBackProps {
  readonly connection: ConnectionView
  readonly resource: Resource
  readonly subject: Subject
  /** The version that it pointed at before. */
  readonly to: string
  readonly onClose: () => void
}

/** Points an endpoint back at the version it was seen to point at before. */
function RollBack({ connection, resource, subject, to, onClose }: RollBackProps) {
  const { t } = useTranslation('runtimes')
  const { name, row } = subject
  const { run, cancel, isRunning, failure } = useRun({
    connectionId: connection.id,
    onDone: () => {
      void toast(t('endpoints.back.done', { name, number: to }))
      onClose()
    },
  })
  const { path } = targetOf(resource, subject)
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (open) return
        cancel()
        onClose()
      }}
      title={t('endpoints.back.title', { name, number: to })}
      description={t('endpoints.back.text', { number: versionOf(row) ?? '?' })}
      confirmLabel={t('endpoints.back.confirm')}
      busy={isRunning}
      onConfirm={() => run({ operation: 'runtime.endpoints.setVersion', path, query: { version: to } })}
    >
      {failure ? <ResourceFailure failure={failure} connection={connection} address={resource.address} /> : null}
    </ConfirmDialog>
  )
}
