import { MessagesSquare, Plus, Sparkles } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { Button, ButtonLink } from '../../../ui/button'
import { EmptyState } from '../../../ui/empty-state'
import { SkeletonRows } from '../../../ui/skeleton'
import toolbar from '../../../ui/toolbar.module.css'
import { CallSheet } from '../../resources/call-sheet'
import { FieldsSheet } from '../../resources/fields-sheet'
import type { Json } from '../../resources/resource'
import { ResourceFailure } from '../../resources/resource-failure'
import { FindBar } from '../find-bar'
import { foundIn } from '../find-rows'
import type { LongTableHandle } from '../long-table/long-table'
import type { RowPages } from '../long-table/row-pages'
import { useRowPages } from '../long-table/use-row-pages'
import type { SessionKey } from '../names'
import type { OpenMemory } from '../open-memory'
import { generatePath } from '../paths'
import { appendCall } from './append-call'
import { eventColumns, timeOf } from './event-columns'
import { Timeline } from './timeline'
import { TimelineFoot } from './timeline-foot'
import { useEvents } from './use-events'

interface SessionProps extends OpenMemory {
  readonly session: SessionKey
}

interface ShownProps extends SessionProps {
  readonly pages: RowPages
  readonly newest: 'start' | 'end' | undefined
  readonly find: string
  readonly onOpen: (row: Json) => void
}

function Shown({ connection, pages, newest, find, onOpen }: ShownProps) {
  const { t } = useTranslation('memory')
  const formats = useFormats()
  const handle = useRef<LongTableHandle>(null)
  const [top, setTop] = useState(0)
  useRowPages(pages)
  const columns = useMemo(() => eventColumns(t, formats, onOpen), [t, formats, onOpen])
  const { failure } = pages
  return (
    <>
      <Timeline {...{ pages, columns, find, handle, onOpen }} onRest={setTop} />
      {failure ? (
        <ResourceFailure
          failure={failure.failure}
          connection={connection}
          address="memoryApiUrl"
          onRetry={() => pages.retry()}
        />
      ) : null}
      {find === '' ? (
        <TimelineFoot {...{ pages, newest, top }} onJump={(index) => handle.current?.jump(index)} />
      ) : null}
    </>
  )
}

function Appending({ connection, memoryId, session, onClose }: SessionProps & { readonly onClose: () => void }) {
  return (
    <CallSheet
      connection={connection}
      address="memoryApiUrl"
      asked={appendCall}
      target={{ path: { id: memoryId, ...session }, query: {} }}
      onClose={onClose}
    />
  )
}

/** The events of one session as a timeline: any number of them, loaded as they come onto the screen. */
export function SessionEvents({ connection, memoryId, session }: SessionProps) {
  const { t } = useTranslation('memory')
  const formats = useFormats()
  const [find, setFind] = useState('')
  const [opened, setOpened] = useState<Json>()
  const [isAppending, setIsAppending] = useState(false)
  const { asked, first, pages, newest } = useEvents({ connection, memoryId }, session)
  const { error, isFetching } = first
  const append = (
    <Button icon={Plus} variant="primary" onClick={() => setIsAppending(true)}>
      {t('append.title')}
    </Button>
  )
  return (
    <>
      <FindBar
        find={find}
        onFind={setFind}
        label={t('events.find')}
        said={find !== '' && pages ? <FoundCount pages={pages} find={find} /> : null}
        isRefreshing={isFetching}
        onRefresh={() => void first.refetch()}
        code={asked}
      >
        <ButtonLink icon={Sparkles} to={generatePath(memoryId, session)}>
          {t('generate.title')}
        </ButtonLink>
        {append}
      </FindBar>
      {error ? (
        <ResourceFailure
          failure={error.failure}
          connection={connection}
          address="memoryApiUrl"
          onRetry={() => void first.refetch()}
          busy={isFetching}
        />
      ) : null}
      {!pages ? (
        error ? null : (
          <SkeletonRows rows={6} />
        )
      ) : pages.count === 0 ? (
        <EmptyState icon={MessagesSquare} title={t('events.empty')}>
          {t('events.emptyText')}
        </EmptyState>
      ) : (
        <div className={toolbar.list}>
          <Shown {...{ connection, memoryId, session, pages, newest, find }} onOpen={setOpened} />
        </div>
      )}
      {opened !== undefined ? (
        <FieldsSheet
          subject={{ row: opened, name: timeOf(opened, formats) || t('events.one'), id: undefined, scope: {} }}
          connectionId={connection.id}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
      {isAppending ? <Appending {...{ connection, memoryId, session }} onClose={() => setIsAppending(false)} /> : null}
    </>
  )
}

function FoundCount({ pages, find }: { readonly pages: RowPages; readonly find: string }) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  useRowPages(pages)
  const held = pages.held()
  return t('events.found', {
    shown: number(foundIn(held, find).length),
    loaded: number(held.length),
    total: number(pages.count),
  })
}
