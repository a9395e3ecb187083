import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/callout'
import { toast } from '../../ui/toast'
import { CallSheet, type CallSheetProps } from './call-sheet'
import { Breaks, ConfirmCall, type DoingProps } from './confirm-call'
import { targetOf } from './subject'
import { useText } from './use-text'

/** Does something with one thing: asks for what it needs in a sheet, or only whether it shall be done. */
export function ActionDialog(props: DoingProps & Pick<CallSheetProps, 'renderAnswer'>) {
  const { t } = useTranslation('resources')
  const text = useText()
  const { connection, resource, action, subject, onClose, onDone, renderAnswer } = props
  if (!action.fields) {
    return (
      <ConfirmCall
        {...props}
        onDone={(answer) => {
          onDone(answer)
          void toast(text(action.done, subject.name))
          onClose()
        }}
      />
    )
  }
  return (
    <CallSheet
      connection={connection}
      address={resource.address}
      asked={action}
      subject={subject}
      target={targetOf(resource, subject)}
      isDanger={action.isDanger ?? false}
      warning={
        action.breaks ? (
          <Callout tone="warning" title={t('beforeYouDo')}>
            <Breaks action={action} name={subject.name} />
          </Callout>
        ) : null
      }
      onClose={onClose}
      onDone={onDone}
      renderAnswer={renderAnswer}
    />
  )
}
