import { contract, type Domain, type Handlers } from '@shared/contract'

type HandlerByName<Name extends string> = Name extends keyof Handlers ? Handlers[Name] : never

/** Names of the service's methods that fit the contract method of the same name by their types. */
type BindableMethod<D extends Domain, Service> = {
  [N in keyof Service & string]: Service[N] extends (...args: infer Args) => infer Result
    ? Parameters<HandlerByName<`${D}.${N}`>> extends [infer Input]
      ? [Input] extends Args
        ? Result extends ReturnType<HandlerByName<`${D}.${N}`>>
          ? N
          : never
        : Args extends []
          ? Result extends ReturnType<HandlerByName<`${D}.${N}`>>
            ? N
            : never
          : never
      : never
    : never
}[keyof Service & string]

/** Handlers of a domain that are methods of the service with fitting names and types. Spread before other handlers. */
export function bind<D extends Domain, Service extends object>(
  domain: D,
  service: Service,
): Pick<Handlers, Extract<keyof Handlers, `${D}.${BindableMethod<D, Service>}`>> {
  const handlers = Object.keys(contract).flatMap((name) => {
    const [itsDomain, methodName = ''] = name.split('.')
    const method: unknown = itsDomain === domain ? Reflect.get(service, methodName) : undefined
    return typeof method === 'function' ? [[name, (input: unknown) => Reflect.apply(method, service, [input])]] : []
  })
  // The type `BindableMethod` ensures that names and signatures match.
  return Object.fromEntries(handlers)
}
