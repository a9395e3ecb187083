import type { PlaygroundTarget } from '@shared/contract'
import {
  Code,
  Lightbulb,
  type LucideIcon,
  MessageSquareText,
  PanelLeft,
  PanelRight,
  SlidersHorizontal,
  Table2,
} from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { chatPath, newConnectionPath } from '../../paths'
import { Button, ButtonLink } from '../../ui/button'
import { cn } from '../../ui/cn'
import { IconButton } from '../../ui/icon-button'
import { EmptyState } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { Hint } from '../../ui/text'
import { ExplainedFailure } from '../failures'
import { Composer } from './composer'
import { MessageLog } from './message-log'
import { lastQuestion } from './message-parts'
import { TargetSelect } from './target-select'
import { usePlaces } from './targets'
import { type Chat, useChatView, usePanels } from './use-chat'

/** What fills the middle instead of messages, as wide as they are. */
const middle = 'mx-auto flex min-h-0 w-full max-w-211 flex-1 flex-col gap-4 overflow-auto px-8 py-6'

interface MiddleProps {
  readonly conversationId: string | undefined
  readonly chat: Chat
  /** The message that was looked for. */
  readonly wanted: string | undefined
}

function MiddleHead({ chat }: Pick<MiddleProps, 'chat'>) {
  const { t } = useTranslation('playground')
  const { isListOpen, isSetupInline, isSetupOpen, openSetup } = usePanels()
  const set = useChatView((view) => view.set)
  const hasSetupBeside = isSetupInline && isSetupOpen
  return (
    <div className="flex min-h-13 flex-none items-center gap-2 px-3 py-1">
      <IconButton
        icon={PanelLeft}
        size="md"
        label={t(isListOpen ? 'list.hide' : 'list.show')}
        onClick={() => set({ isListOpen: !isListOpen })}
      />
      <p className="min-w-0 flex-1 truncate font-strong" title={chat.conversation?.title}>
        {chat.conversation?.title ?? t('list.new')}
      </p>
      {hasSetupBeside ? null : (
        <div className="w-62.5 min-w-0">
          <TargetSelect
            label={t('setup.model')}
            value={chat.setup.target}
            onChange={(target) => chat.changeSetup({ ...chat.setup, target })}
          />
        </div>
      )}
      <IconButton
        icon={isSetupInline ? PanelRight : SlidersHorizontal}
        size="md"
        label={t(isSetupOpen ? 'setup.hide' : 'setup.show')}
        onClick={() => openSetup(!isSetupOpen)}
      />
    </div>
  )
}

function LogSkeleton() {
  const { t } = useTranslation('common')
  return (
    <div className={middle} role="status">
      <span className="sr-only">{t('loading')}</span>
      {[52, 88, 70, 40, 92].map((width, at) => (
        <Skeleton key={width} width={`${width}%`} height={at % 3 === 0 ? 34 : 14} />
      ))}
    </div>
  )
}

/** What stands above the composer: the messages, the first steps, or what went wrong. */
function Shown({ conversationId, chat, wanted }: MiddleProps) {
  const { t } = useTranslation('playground')
  const { plans, connections, isLoading } = usePlaces()
  const { query } = chat
  const { openSetup } = usePanels()
  if (conversationId === undefined) {
    const isNobody = !isLoading && plans.length === 0 && connections.length === 0 && !chat.setup.target
    if (isNobody) return <Nobody onLocal={(target) => chat.changeSetup({ ...chat.setup, target })} />
    return <FirstSteps chat={chat} />
  }
  if (query.error && !chat.conversation) {
    return (
      <div className={middle}>
        <ExplainedFailure
          failure={query.error.failure}
          handlers={{ tryAgain: () => void query.refetch() }}
          busy={query.isFetching}
          actions={
            <ButtonLink size="sm" to={chatPath()}>
              {t('list.new')}
            </ButtonLink>
          }
        />
      </div>
    )
  }
  if (!chat.conversation) return <LogSkeleton />
  return (
    <MessageLog conversation={chat.conversation} chat={chat} wanted={wanted} onChooseModel={() => openSetup(true)} />
  )
}

/** The open conversation: its head, its messages, and where the next one is written. */
export function ChatMiddle({ conversationId, chat, wanted }: MiddleProps) {
  const set = useChatView((view) => view.set)
  const { t } = useTranslation('common')
  const { openSetup } = usePanels()
  const { failure, dismiss } = chat
  useEffect(() => () => set({ editing: undefined }), [set])
  const editLast = (): void => {
    const id = lastQuestion(chat.branch)
    if (id !== undefined) set({ editing: id })
  }
  return (
    <section className="flex min-h-0 min-w-0 flex-1 flex-col">
      <MiddleHead chat={chat} />
      <Shown {...{ conversationId, chat, wanted }} />
      {failure ? (
        <div className="mx-auto w-full max-w-211 px-8 pb-2.5">
          <ExplainedFailure
            failure={failure}
            handlers={{ chooseModel: () => openSetup(true) }}
            actions={
              <Button size="sm" variant="ghost" onClick={dismiss}>
                {t('close')}
              </Button>
            }
          />
        </div>
      ) : null}
      <Composer key={conversationId ?? ''} conversationId={conversationId} chat={chat} onEditLast={editLast} />
    </section>
  )
}

const examples = [
  { id: 'table', icon: Table2 },
  { id: 'code', icon: Code },
  { id: 'explain', icon: Lightbulb },
] as const satisfies readonly { readonly id: string; readonly icon: LucideIcon }[]

/** No conversation is open: three questions that are asked with one press. */
function FirstSteps({ chat }: { readonly chat: Chat }) {
  const { t } = useTranslation('playground')
  return (
    <div className={cn(middle, 'justify-center-safe')}>
      <div>
        <h2 className="text-lg">{t('empty.title')}</h2>
        <p className="max-w-140 text-muted">{t('empty.text')}</p>
      </div>
      <ul className="flex flex-col gap-2" aria-label={t('empty.tryOne')}>
        {examples.map(({ id, icon: Icon }) => (
          <li key={id}>
            <button
              type="button"
              className={cn(
                'flex size-full gap-2.5 rounded-lg border bg-surface p-3 text-left transition-colors',
                'hover:border-border-strong disabled:opacity-50',
              )}
              disabled={chat.isBusy || !chat.setup.target}
              onClick={() => chat.ask(t(`empty.examples.${id}.text`))}
            >
              <Icon size={15} strokeWidth={1.8} className="mt-0.5 text-muted" aria-hidden="true" />
              <span className="flex flex-col gap-0.5">
                <strong className="font-strong">{t(`empty.examples.${id}.title`)}</strong>
                <Hint as="span">{t(`empty.examples.${id}.text`)}</Hint>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** There is no plan and no connection: how to get one, or to look around without. */
function Nobody({ onLocal }: { readonly onLocal: (target: PlaygroundTarget) => void }) {
  const { t } = useTranslation('playground')
  const opening = useAction('sandbox.open', { invalidates: ['sandbox', 'plans', 'tools', 'connections', 'playground'] })
  return (
    <div className={cn(middle, 'justify-center-safe')}>
      <EmptyState
        icon={MessageSquareText}
        title={t('empty.nobody')}
        actions={
          <>
            <Button busy={opening.isPending} onClick={() => opening.mutate({})}>
              {t('empty.sandbox')}
            </Button>
            <ButtonLink to={newConnectionPath}>{t('empty.addConnection')}</ButtonLink>
            <ButtonLink variant="primary" to="/plans/new">
              {t('empty.addPlan')}
            </ButtonLink>
          </>
        }
      >
        {t('empty.nobodyText')}
      </EmptyState>
      {opening.error ? (
        <ExplainedFailure
          failure={opening.error.failure}
          handlers={{ tryAgain: () => opening.mutate({}), anotherPort: () => opening.mutate({ anotherPort: true }) }}
        />
      ) : null}
      <div className="flex flex-wrap items-center justify-center gap-3 text-muted">
        <p>{t('empty.local')}</p>
        <div className="w-65">
          <TargetSelect label={t('empty.local')} kinds={['local']} value={undefined} onChange={onLocal} />
        </div>
      </div>
    </div>
  )
}
