import type { Failure } from '@shared/failure'
import type { ComponentProps, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { isOverlayOpen, useWindowKey } from '../../shortcuts'
import { Button, type ButtonVariant } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { Kbd } from '../../ui/code'

export function ApplyBar(props: {
  readonly children: ReactNode
  readonly label: string
  readonly variant?: ButtonVariant
  readonly busy: boolean
  /** The page's main action, also on Ctrl+Enter (Command+Enter on a Mac). Undefined while it is not possible. */
  readonly apply: (() => void) | undefined
  /** Text that explains why the button is disabled. */
  readonly reason?: string | undefined
}) {
  const { children, label, variant = 'primary', busy, apply, reason } = props
  // In the capture phase, because some controls consume Enter.
  useWindowKey(
    (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat || isOverlayOpen()) return
      event.preventDefault()
      event.stopPropagation()
      if (!busy) apply?.()
    },
    { isOn: apply !== undefined, capture: true },
  )
  return (
    // The strip of page color hides the page below the bar and behind its round corners.
    <div className="sticky bottom-0 z-2 pb-3 before:absolute before:inset-x-0 before:bottom-0 before:h-6 before:bg-page">
      <div
        className={joinClassNames(
          'relative flex flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border',
          'border-border-strong bg-raised py-3 pr-3.5 pl-4 shadow-float lowest:py-2',
        )}
      >
        <div className="min-w-0 flex-[1_1_320px]">{children}</div>
        <div className="ml-auto flex items-center gap-3">
          <Kbd keys={['Mod', 'Enter']} />
          <Button
            variant={variant}
            busy={busy}
            disabled={!apply && !busy}
            onClick={apply}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            aria-describedby={reason === undefined ? undefined : 'apply-reason'}
          >
            {label}
          </Button>
        </div>
        {reason === undefined ? null : (
          <p id="apply-reason" className="basis-full text-right text-muted text-sm">
            {reason}
          </p>
        )}
      </div>
    </div>
  )
}

export function AllOrNothing({ title }: { readonly title: string }) {
  const { t } = useTranslation('tools')
  return (
    <p className="text-muted">
      <strong className="block font-semibold text-text">{title}</strong>
      {t('many.allOrNothing')}
    </p>
  )
}

/** Shows why a write failed. If a file has changed since the preview, only offers a new preview. */
export function WriteFailure(
  props: Pick<ComponentProps<typeof ExplainedFailure>, 'context' | 'handlers' | 'busy'> & {
    readonly failure: Failure | undefined
    /** Whether the failed write was for several tools, which changes the text. */
    readonly isMany?: boolean
  },
) {
  const { failure, isMany = false, ...rest } = props
  const { t } = useTranslation('tools')
  if (!failure) return null
  return (
    <div ref={scrollIntoView}>
      {failure.code === 'file.changed' ? (
        <Callout tone="warning" title={t('changedMeanwhile')}>
          {t('changedMeanwhileText')}
        </Callout>
      ) : (
        <>
          <ExplainedFailure failure={failure} {...rest} />
          {isMany ? <p className="text-muted">{t('many.nothingWritten')}</p> : null}
        </>
      )}
    </div>
  )
}

/** Scrolls the result into view. The sticky Apply button may be far from it. */
const scrollIntoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'center' })
