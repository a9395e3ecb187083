import { ArrowRight, Cable, FlaskConical, KeyRound, type LucideIcon } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useAction } from '../../ipc'
import { useUpdateSettings } from '../../settings'
import { ProgressBar } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './onboarding.module.css'

interface WayProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
  readonly action: string
  readonly busy?: boolean
  readonly onClick: () => void
}

function Way({ icon: Icon, title, text, action, busy = false, onClick }: WayProps) {
  return (
    <li>
      <button type="button" className={styles.way} onClick={onClick} aria-busy={busy || undefined}>
        <span className={styles.icon}>
          <Icon size={18} strokeWidth={1.7} aria-hidden="true" />
        </span>
        <span className={styles.title}>{title}</span>
        <span className={styles.text}>{text}</span>
        <span className={styles.action}>
          {action}
          {busy ? null : <ArrowRight size={14} strokeWidth={2} aria-hidden="true" />}
        </span>
        {busy ? (
          <span className={styles.progress}>
            <ProgressBar label={action} />
          </span>
        ) : null}
      </button>
    </li>
  )
}

/** The three ways in, as cards side by side, and what went wrong with the first one when it did. */
export function Ways({ begin }: { readonly begin: Begin }) {
  const { t } = useTranslation('welcome')
  const { failure } = begin
  return (
    <div className={styles.ways}>
      <ul className={styles.grid} aria-label={t('ways.label')}>
        <Way
          icon={FlaskConical}
          title={t('ways.sandbox.title')}
          text={t('ways.sandbox.text')}
          action={begin.isOpening ? t('ways.sandbox.busy') : t('ways.sandbox.action')}
          busy={begin.isOpening}
          onClick={() => begin.openSandbox()}
        />
        <Way
          icon={KeyRound}
          title={t('ways.key.title')}
          text={t('ways.key.text')}
          action={t('ways.key.action')}
          onClick={begin.addKey}
        />
        <Way
          icon={Cable}
          title={t('ways.platform.title')}
          text={t('ways.platform.text')}
          action={t('ways.platform.action')}
          onClick={begin.connect}
        />
      </ul>
      {failure ? (
        <ExplainedFailure
          failure={failure}
          busy={begin.isOpening}
          handlers={{
            tryAgain: () => begin.openSandbox(),
            startSandbox: () => begin.openSandbox(),
            anotherPort: () => begin.openSandbox(true),
          }}
        />
      ) : null}
    </div>
  )
}

/** The three ways in. Each one answers the first screen for good; opening the sandbox may fail and stays where it is then. */
export function useBegin() {
  const { t } = useTranslation('welcome')
  const navigate = useNavigate()
  const update = useUpdateSettings()
  const open = useAction('sandbox.open', { invalidates: ['sandbox', 'plans', 'tools'] })

  const go = async (path: string): Promise<void> => {
    // A setting that could not be kept must not hold anyone back: the first screen then comes once more.
    await update({ welcomed: true }).catch(() => undefined)
    await navigate(path)
  }
  const openSandbox = (anotherPort = false): void => {
    if (open.isPending) return
    const done = async (): Promise<void> => {
      await go('/tools')
      void toast(t('sandboxReady'), { description: t('sandboxReadyText') })
    }
    open.mutate(anotherPort ? { anotherPort } : {}, { onSuccess: () => void done() })
  }
  return {
    openSandbox,
    isOpening: open.isPending,
    failure: open.error?.failure,
    addKey: () => void go('/plans/new'),
    connect: () => void go('/connections?new'),
    skip: () => void go('/'),
  }
}

type Begin = ReturnType<typeof useBegin>
