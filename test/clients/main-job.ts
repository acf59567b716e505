/** What a program that plays the main job with a generated client is given. */
export interface MainJobInput {
  baseUrl: string;
  email: string;
  password: string;
  kubeconfig: File;
  design: File;
}

/** What it saw; generated clients answer what the server answered. */
export interface MainJobReport {
  planned: string[];
  deployed: string;
  deployedAgain: string[];
  undeployed: string;
  events: string[];
  /** The code of the error of a call with a malformed id. */
  refused: string;
}

/** A program beside this file; the test generates the client that it imports. */
export interface MainJobProgram {
  playMainJob: (input: MainJobInput) => Promise<MainJobReport>;
}
