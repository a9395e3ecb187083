import i18next from 'i18next'
import {
  ArrowRight,
  Cable,
  FileKey2,
  FlaskConical,
  KeyRound,
  LockKeyhole,
  type LucideIcon,
  ShieldCheck,
} from 'lucide-react'
import { useNavigate } from 'react-router'
import { ExplainedFailure } from '../../../failures'
import { useAction, useCall } from '../../../ipc'
import { openKeyFilePath } from '../../../paths'
import { goOnTour } from '../../../session'
import { useUpdateSettings } from '../../../settings'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { ProgressBar } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { KeychainAdvice } from '../../settings'
import { Mark } from '../../shell'

const t = i18next.getFixedT(null, ['welcome', 'common'])

function StartOption(props: {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
  readonly action: string
  readonly busy?: boolean
  readonly onClick: () => void
}) {
  const { icon: Icon, title, text, action, busy = false, onClick } = props
  return (
    <li className="flex">
      <button
        type="button"
        className={joinClassNames(
          'group/way relative flex flex-1 flex-col items-start overflow-hidden rounded-xl border bg-surface',
          'p-4.5 text-left transition-colors hover:border-accent-line',
          'hover:bg-[light-dark(#fdfdff,#1c1f27)] focus-visible:overflow-visible active:bg-accent-soft',
        )}
        onClick={onClick}
        aria-busy={busy || undefined}
      >
        <span
          className={joinClassNames(
            'mb-3.5 inline-flex size-9 items-center justify-center rounded-[9px] bg-accent-soft',
            'text-accent-text',
          )}
        >
          <Icon size={18} strokeWidth={1.7} aria-hidden="true" />
        </span>
        <span className="font-semibold text-[14px]">{title}</span>
        <span className="mt-1 flex-1 text-muted">{text}</span>
        <span className="mt-4 inline-flex items-center gap-1.5 font-strong text-accent-text">
          {action}
          {busy ? null : (
            <ArrowRight
              size={14}
              strokeWidth={2}
              aria-hidden="true"
              className="transition-transform duration-medium group-hover/way:translate-x-0.5"
            />
          )}
        </span>
        {busy ? (
          <span className="absolute inset-x-0 bottom-0">
            <ProgressBar label={action} />
          </span>
        ) : null}
      </button>
    </li>
  )
}

const otherWays = [
  { way: 'key', icon: KeyRound, start: 'addKey' },
  { way: 'file', icon: FileKey2, start: 'importKey' },
  { way: 'platform', icon: Cable, start: 'connect' },
] as const

/** Cards with the options to start, and the failure if the sandbox could not be opened. */
export function StartOptions({ begin }: { readonly begin: ReturnType<typeof useStartActions> }) {
  return (
    <div className="flex flex-col gap-4">
      <ul className="grid grid-cols-4 gap-3" aria-label={t('ways.label')}>
        <StartOption
          icon={FlaskConical}
          title={t('ways.sandbox.title')}
          text={t('ways.sandbox.text')}
          action={begin.isOpening ? t('ways.sandbox.busy') : t('ways.sandbox.action')}
          busy={begin.isOpening}
          onClick={() => begin.openSandbox()}
        />
        {otherWays.map(({ way, icon, start }) => (
          <StartOption
            key={way}
            icon={icon}
            title={t(`ways.${way}.title`)}
            text={t(`ways.${way}.text`)}
            action={t(`ways.${way}.action`)}
            onClick={begin[start]}
          />
        ))}
      </ul>
      <ExplainedFailure
        failure={begin.failure}
        busy={begin.isOpening}
        handlers={{
          tryAgain: () => begin.openSandbox(),
          startSandbox: () => begin.openSandbox(),
          anotherPort: () => begin.openSandbox(true),
        }}
      />
    </div>
  )
}

/** Each choice completes the first screen. If the sandbox fails to start, the screen stays. */
export function useStartActions() {
  const navigate = useNavigate()
  const update = useUpdateSettings()
  const sandboxAction = useAction('sandbox.open', { invalidates: ['sandbox', 'plans', 'tools'] })

  const leaveOnboarding = async (path: string): Promise<void> => {
    // Continue if saving fails. The first screen then appears again at the next start.
    await update({ welcomed: true }).catch(() => undefined)
    goOnTour(0)
    await navigate(path)
  }
  const openSandbox = (anotherPort = false): void => {
    if (sandboxAction.isPending) return
    const finishSetup = async (): Promise<void> => {
      await leaveOnboarding('/tools')
      void toast(t('sandboxReady'), { description: t('sandboxReadyText') })
    }
    sandboxAction.mutate(anotherPort ? { anotherPort } : {}, { onSuccess: () => void finishSetup() })
  }
  return {
    openSandbox,
    isOpening: sandboxAction.isPending,
    failure: sandboxAction.error?.failure,
    addKey: () => void leaveOnboarding('/plans/new'),
    importKey: () => void leaveOnboarding(openKeyFilePath),
    connect: () => void leaveOnboarding('/connections?new'),
    skip: () => void leaveOnboarding('/'),
  }
}

export function WelcomePage() {
  const startActions = useStartActions()
  const { data: app } = useCall('app.get', {})
  const recheckKeychain = useAction('app.recheckVault', { invalidates: ['app', 'connections', 'plans'] })
  const recheck = { label: t('recheck'), busy: recheckKeychain.isPending, onClick: () => recheckKeychain.mutate({}) }
  return (
    <main className="flex h-full overflow-auto bg-page p-8">
      <title>{`${t('title')} · ${t('common:appName')}`}</title>
      <div className="m-auto flex w-full max-w-220 flex-col gap-6">
        <header className="mb-2 flex flex-col gap-4.5">
          <Mark size={44} />
          <div>
            <h1 className="text-balance font-[640] text-2xl leading-[1.25] tracking-[-0.022em]">{t('headline')}</h1>
            <p className="mt-2 max-w-155 text-pretty text-lg text-muted leading-[1.55]">{t('lead')}</p>
          </div>
        </header>
        <StartOptions begin={startActions} />
        {app?.vault.kind === 'session' ? (
          <Callout
            tone="warning"
            title={t('noKeychain')}
            details={<span lang="en">{app.vault.reason}</span>}
            actions={[recheck]}
          >
            <KeychainAdvice platform={app.platform} />
          </Callout>
        ) : null}
        <footer className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
          <ul className="flex flex-wrap gap-x-6 gap-y-1.5 text-muted *:flex *:items-center *:gap-2">
            {app?.vault.kind === 'session' ? null : (
              <li>
                <LockKeyhole size={14} strokeWidth={1.8} aria-hidden="true" />
                {t('keys')}
              </li>
            )}
            <li>
              <ShieldCheck size={14} strokeWidth={1.8} aria-hidden="true" />
              {t('privacy')}
            </li>
          </ul>
          <Button variant="ghost" className="-mr-3" onClick={startActions.skip}>
            {t('skip')}
          </Button>
        </footer>
      </div>
    </main>
  )
}
