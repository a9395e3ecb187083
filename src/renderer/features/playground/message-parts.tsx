import type { BranchStep, PlaygroundAttachment } from '@shared/contract'
import { ChevronLeft, ChevronRight, FileText, Image, type LucideIcon, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatFileSize, useFormats } from '../../format'
import { useCall } from '../../ipc'
import { RowButton } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'

interface BranchSwitcherProps {
  readonly step: BranchStep
  readonly onChoose: (messageId: string) => void
}

/** Shows the position of a message among its alternatives in other branches. Renders nothing if there are none. */
function BranchSwitcher({ step: { id, siblings }, onChoose }: BranchSwitcherProps) {
  const { t } = useTranslation('playground')
  const index = siblings.indexOf(id)
  if (siblings.length < 2) return null
  const button = (messageId: string | undefined, label: string, icon: LucideIcon) => (
    <RowButton
      icon={icon}
      label={label}
      disabled={messageId === undefined}
      onPress={() => messageId !== undefined && onChoose(messageId)}
    />
  )
  const position = { at: index + 1, count: siblings.length }
  return (
    <span className="inline-flex items-center text-muted text-sm tabular-nums">
      {button(siblings[index - 1], t('chat.earlier'), ChevronLeft)}
      <span aria-hidden="true">
        {position.at}/{position.count}
      </span>
      <span className="sr-only">{t('chat.branch', position)}</span>
      {button(siblings[index + 1], t('chat.later'), ChevronRight)}
    </span>
  )
}

/** Branch switcher and buttons of a message. Visible while the pointer is over the message, or always if `stays`. */
export function MessageTools(
  props: BranchSwitcherProps & { readonly stays?: boolean; readonly className: string; readonly children: ReactNode },
) {
  const { step, onChoose, stays = false, className, children } = props
  return (
    <div className={joinClassNames('flex min-h-7 flex-none items-center gap-1.5', className)}>
      <BranchSwitcher step={step} onChoose={onChoose} />
      <span
        className={joinClassNames(
          'inline-flex gap-0.5 transition-opacity',
          !stays && 'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100',
        )}
      >
        {children}
      </span>
    </div>
  )
}

export const getLastUserMessage = (branch: readonly BranchStep[]): string | undefined =>
  branch.findLast(({ role }) => role === 'user')?.id

function Thumbnail({ id, mediaType }: PlaygroundAttachment) {
  const content = useCall('playground.attachmentContent', { id }, { staleTime: Number.POSITIVE_INFINITY })
  if (!content.data) return <Image size={16} strokeWidth={1.8} aria-hidden="true" />
  return <img className="size-full object-cover" src={`data:${mediaType};base64,${content.data.content}`} alt="" />
}

function AttachmentChip(props: { attachment: PlaygroundAttachment; onRemove: ((id: string) => void) | undefined }) {
  const { attachment, onRemove } = props
  const { t } = useTranslation('playground')
  const { locale, count } = useFormats()
  const { id, kind, name, tokens, bytes } = attachment
  return (
    <li className="flex max-w-55 items-center gap-2 rounded-lg border bg-surface p-0.75 pr-1.5">
      <span
        className={joinClassNames(
          'inline-flex size-8.5 flex-none items-center justify-center',
          'overflow-hidden rounded-[5px] bg-well text-muted',
        )}
      >
        {kind === 'image' ? <Thumbnail {...attachment} /> : <FileText size={16} strokeWidth={1.8} aria-hidden="true" />}
      </span>
      <span className="flex min-w-0 flex-col text-sm leading-4">
        <span className="truncate" title={name}>
          {name}
        </span>
        <span className="text-muted tabular-nums">
          {tokens === undefined
            ? formatFileSize(bytes, locale)
            : t('composer.tokens', { count: tokens, amount: count(tokens).short })}
        </span>
      </span>
      {onRemove ? <RowButton icon={X} label={t('composer.detach', { name })} onPress={() => onRemove(id)} /> : null}
    </li>
  )
}

export function AttachmentList(props: { readonly ids: readonly string[]; readonly onRemove?: (id: string) => void }) {
  const { ids, onRemove } = props
  const { t } = useTranslation('playground')
  const { data = [] } = useCall(
    'playground.attachments',
    { ids: [...ids] },
    { placeholderData: (previousData) => previousData },
  )
  const shownAttachments = ids.flatMap((id) => data.filter((attachment) => attachment.id === id))
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label={t('composer.attachments')}>
      {shownAttachments.map((attachment) => (
        <AttachmentChip key={attachment.id} attachment={attachment} onRemove={onRemove} />
      ))}
    </ul>
  )
}
