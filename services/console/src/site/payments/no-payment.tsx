import { Empty } from '../show/states.js'

/** @param isOwn of the gateway that is signed in; others may have some */
export const NoPayment = ({ isOwn }: { isOwn: boolean }) => (
  <Empty title={isOwn ? 'No payment of your gateway has arrived yet' : 'No payment has arrived yet'}>
    A payment shows here as soon as it is stored. To see the console full,{' '}
    <code className="command">npm start -- --demo</code> plays a made-up shop in a folder of its own.
  </Empty>
)
