import i18next from 'i18next'
import { FileBadge, ShieldCheck } from 'lucide-react'
import { ExplainedFailure } from '../../failures'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { QuietCode } from '../../ui/code'
import { Hint } from '../../ui/text'

const t = i18next.getFixedT(null, 'connections')

export function CertificateFile(props: {
  readonly 'data-field'?: string
  readonly path: string
  readonly onChange: (path: string) => void
  readonly error?: string | undefined
}) {
  const { path, onChange, error, ...rest } = props
  const chooseCaFileAction = useAction('connections.chooseCaFile', {
    onSuccess: (chosen) => {
      if (chosen.path !== undefined) onChange(chosen.path)
    },
  })
  const failure = chooseCaFileAction.error?.failure
  const isUnparsableFile = failure?.code === 'file.unparsable'
  const isChosen = path !== ''
  const Icon = isChosen ? FileBadge : ShieldCheck
  const shownError = isUnparsableFile ? t('certificates.notOne') : error
  return (
    <>
      <div {...rest} className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Icon size={16} strokeWidth={1.8} className="text-faint" />
        <div className="min-w-0 flex-[1_1_240px]">
          {isChosen ? (
            <>
              <QuietCode wrap>{path}</QuietCode>
              <Hint>{t('certificates.beside')}</Hint>
            </>
          ) : (
            <p>{t('certificates.usual')}</p>
          )}
        </div>
        {isChosen ? (
          <Button size="sm" variant="ghost" onClick={() => onChange('')}>
            {t('certificates.clear')}
          </Button>
        ) : null}
        <Button size="sm" busy={chooseCaFileAction.isPending} onClick={() => chooseCaFileAction.mutate({})}>
          {t(isChosen ? 'certificates.change' : 'certificates.choose')}
        </Button>
      </div>
      {shownError ? (
        <p className="mt-2 text-danger text-sm" role="alert">
          {shownError}
        </p>
      ) : null}
      {failure && !isUnparsableFile ? <ExplainedFailure failure={failure} /> : null}
    </>
  )
}
