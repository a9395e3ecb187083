import i18next from 'i18next'
import { ChevronRight, CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Actions, renderActions } from './button'
import { joinClassNames } from './cn'

const t = i18next.getFixedT(null, 'common')

type CalloutTone = 'info' | 'success' | 'warning' | 'danger'

const tones: Record<CalloutTone, { readonly Icon: LucideIcon; readonly frame: string; readonly icon: string }> = {
  info: { Icon: Info, frame: 'border-accent-line bg-accent-soft', icon: 'text-accent-text' },
  success: { Icon: CircleCheck, frame: 'border-success-line bg-success-soft', icon: 'text-success' },
  warning: { Icon: TriangleAlert, frame: 'border-warning-line bg-warning-soft', icon: 'text-warning' },
  danger: { Icon: CircleAlert, frame: 'border-danger-line bg-danger-soft', icon: 'text-danger' },
}

interface CalloutProps {
  readonly tone: CalloutTone
  /** Title of the callout, a summary in one line. */
  readonly title: ReactNode
  /** Text below the title, with advice or instructions. */
  readonly children?: ReactNode
  readonly actions?: Actions
  /** Technical details, such as codes, addresses and request ids, in a collapsed section. */
  readonly details?: ReactNode
  readonly detailsLabel?: string
}

export function Callout({ tone, title, children, actions, details, detailsLabel }: CalloutProps) {
  const { Icon, frame, icon } = tones[tone]
  const buttons = renderActions(actions, 'sm')
  return (
    <div
      className={joinClassNames(
        'flex flex-wrap gap-x-2.5 gap-y-1.5 rounded-lg border px-3 py-2.5',
        children || details ? null : 'items-center',
        frame,
      )}
      role={tone === 'danger' ? 'alert' : undefined}
    >
      <Icon size={16} strokeWidth={1.9} className={joinClassNames('mt-0.5', icon)} />
      <div className="min-w-0 flex-[1_1_240px]">
        <p className="font-strong">{title}</p>
        {children ? <div className="wrap-anywhere text-soft">{children}</div> : null}
        {details ? (
          <details className="group/details mt-1 text-soft text-sm">
            <summary className="flex w-max items-center gap-1.5 rounded-sm hover:text-text">
              <ChevronRight size={12} strokeWidth={2} className="group-open/details:rotate-90" />
              {detailsLabel ?? t('details')}
            </summary>
            <div className="mt-1 select-text wrap-anywhere">{details}</div>
          </details>
        ) : null}
      </div>
      {buttons ? <div className="ml-auto flex flex-wrap items-center gap-1.5 self-center">{buttons}</div> : null}
    </div>
  )
}
