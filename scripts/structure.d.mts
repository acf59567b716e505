export declare const ORDER: readonly string[];
