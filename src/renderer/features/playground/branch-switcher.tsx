import type { BranchStep } from '@shared/contract'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import styles from './log.module.css'

interface BranchSwitcherProps {
  readonly step: BranchStep
  readonly onChoose: (messageId: string) => void
}

/** Goes through the messages that stand beside this one; nothing when it stands alone. */
export function BranchSwitcher({ step, onChoose }: BranchSwitcherProps) {
  const { t } = useTranslation('playground')
  const place = placeAmong(step)
  if (!place) return null
  const { at, count, earlier, later } = place
  const button = (id: string | undefined, label: string, Icon: typeof ChevronLeft) => (
    <button
      type="button"
      className={styles.step}
      aria-label={label}
      title={label}
      disabled={id === undefined}
      onClick={() => id !== undefined && onChoose(id)}
    >
      <Icon size={14} strokeWidth={1.8} aria-hidden="true" />
    </button>
  )
  return (
    <span className={styles.branch}>
      {button(earlier, t('chat.earlier'), ChevronLeft)}
      <span aria-hidden="true">
        {at}/{count}
      </span>
      <span className="sr-only">{t('chat.branch', { at, count })}</span>
      {button(later, t('chat.later'), ChevronRight)}
    </span>
  )
}

/** Where a message stands among those beside it. */
interface BranchPlace {
  /** From 1 on. */
  readonly at: number
  readonly count: number
  readonly earlier: string | undefined
  readonly later: string | undefined
}

/** The place of a step among its siblings; nothing when it stands alone. */
export function placeAmong({ id, siblings }: BranchStep): BranchPlace | undefined {
  const index = siblings.indexOf(id)
  if (siblings.length < 2 || index < 0) return undefined
  return { at: index + 1, count: siblings.length, earlier: siblings[index - 1], later: siblings[index + 1] }
}

/** What the message at a place of the branch follows; nothing for the first one. */
export const parentAt = (branch: readonly BranchStep[], index: number): string | undefined => branch[index - 1]?.id

/** The last message of the branch that a person wrote. */
export const lastQuestion = (branch: readonly BranchStep[]): string | undefined =>
  branch.findLast(({ role }) => role === 'user')?.id

/** The chunks of a long branch that hold a range of it, as one list of ids. */
export function idsAround(branch: readonly BranchStep[], range: readonly [number, number], chunk: number): string[] {
  const first = Math.floor(Math.max(0, range[0]) / chunk) * chunk
  const end = (Math.floor(Math.max(0, range[1]) / chunk) + 1) * chunk
  return branch.slice(first, end).map(({ id }) => id)
}
