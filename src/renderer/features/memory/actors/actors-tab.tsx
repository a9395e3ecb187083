import { useSearchParams } from 'react-router'
import { SkeletonRows } from '../../../ui/skeleton'
import toolbar from '../../../ui/toolbar.module.css'
import { useCopyCall } from '../../resources/copy-call'
import { ListPager } from '../../resources/list-pager'
import { ListToolbar } from '../../resources/list-toolbar'
import { identifierOf } from '../../resources/lookup'
import { ResourceFailure } from '../../resources/resource-failure'
import { searchedRows } from '../../resources/search-rows'
import { shownCall, useList, useListPlace } from '../../resources/use-list'
import styles from '../memory.module.css'
import { actorIdentifier } from '../names'
import type { OpenMemory } from '../open-memory'
import { useSeen } from '../seen-store'
import { ActorList } from './actor-list'
import { actors } from './actors'
import { SessionsPanel } from './sessions-panel'

const none: readonly string[] = []

/** The actors of a memory page by page, and the sessions of the one chosen. */
export function ActorsTab({ connection, memoryId }: OpenMemory) {
  const [query, setQuery] = useSearchParams()
  const { place, change } = useListPlace(actors)
  const codeItems = useCopyCall()
  const typed = useSeen(({ actors: byMemory }) => byMemory[memoryId] ?? none)
  const asked = { connectionId: connection.id, resource: actors, scope: { id: memoryId }, place }
  const list = useList(asked)
  const { data, error, isFetching } = list
  const rows = searchedRows(data?.rows ?? [], place.find)
  const [first] = rows
  const chosen = query.get('actor') ?? (first === undefined ? undefined : identifierOf(first, actorIdentifier))
  const choose = (actorId: string): void =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        next.set('actor', actorId)
        return next
      },
      { replace: true },
    )
  const row = data?.rows.find((one) => identifierOf(one, actorIdentifier) === chosen)
  const refetch = (): void => void list.refetch()
  return (
    <div className={toolbar.list}>
      <ListToolbar
        resource={actors}
        place={place}
        onChange={change}
        isRefreshing={isFetching}
        onRefresh={refetch}
        codeItems={codeItems(shownCall(asked, data?.page))}
        shown={rows.length}
        count={data?.rows.length ?? 0}
      />
      {error ? (
        <ResourceFailure
          failure={error.failure}
          connection={connection}
          address={actors.address}
          onRetry={refetch}
          busy={isFetching}
        />
      ) : null}
      {!data ? (
        error ? null : (
          <SkeletonRows rows={6} />
        )
      ) : (
        <div className={styles.panes}>
          <div className={styles.pane}>
            <ActorList rows={rows} typed={typed} chosen={chosen} onChoose={choose} isSearching={place.find !== ''} />
            {data.rows.length > 0 || data.page > data.firstPage ? (
              <ListPager answer={data} size={place.size} onChange={change} />
            ) : null}
          </div>
          <SessionsPanel {...{ connection, memoryId, row }} actorId={chosen} onActor={choose} />
        </div>
      )}
    </div>
  )
}
